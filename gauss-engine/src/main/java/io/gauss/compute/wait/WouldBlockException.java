package io.gauss.compute.wait;

/**
 * The statement would have to wait and runs where waiting is forbidden: the session undoes the
 * statement and repeats it on its virtual thread. Used for control flow, so there is one instance
 * without a stack trace.
 */
public final class WouldBlockException extends RuntimeException {
  private static final long serialVersionUID = 1;
  public static final WouldBlockException INSTANCE = new WouldBlockException();

  private WouldBlockException() {
    super("would block", null, false, false);
  }
}
