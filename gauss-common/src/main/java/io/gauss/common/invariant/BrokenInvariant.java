package io.gauss.common.invariant;

/**
 * An invariant does not hold. Made by {@link Invariant} only, which has told the installed handler
 * before it is thrown. In a server process nobody ever catches one: its handler ends the process.
 */
public final class BrokenInvariant extends AssertionError {
  private static final long serialVersionUID = 1;

  BrokenInvariant(String message, Throwable cause) {
    super(message, cause);
  }
}
