package io.gauss.common.health;

/**
 * Something that keeps a part of a node from doing its work, for operators: told for as long as it
 * lasts.
 *
 * @param what names the problem; does not change while it lasts
 * @param why the cause, which may change
 */
public record Problem(String what, String why) {
  @Override
  public String toString() {
    return what + " (" + why + ")";
  }
}
