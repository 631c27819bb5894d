package io.gauss.common.health;

/**
 * A problem that keeps a part of a node from working, for operators: reported while it lasts.
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
