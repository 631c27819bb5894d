package io.gauss.common.invariant;

/**
 * An invariant does not hold. Created only by {@link Invariant}, which calls the installed handler
 * before it is thrown. In a server process it is never caught: the handler ends the process.
 */
public final class BrokenInvariant extends AssertionError {
  private static final long serialVersionUID = 1;

  BrokenInvariant(String message, Throwable cause) {
    super(message, cause);
  }
}
