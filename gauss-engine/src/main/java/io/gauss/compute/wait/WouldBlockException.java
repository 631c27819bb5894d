package io.gauss.compute.wait;

/**
 * The statement would have to wait and runs where nobody may wait: the session undoes the statement
 * and repeats it on its virtual thread. Control flow, so one instance without a stack.
 */
public final class WouldBlockException extends RuntimeException {
  private static final long serialVersionUID = 1;
  public static final WouldBlockException INSTANCE = new WouldBlockException();

  private WouldBlockException() {
    super("would block", null, false, false);
  }
}
