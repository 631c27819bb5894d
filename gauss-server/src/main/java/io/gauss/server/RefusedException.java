package io.gauss.server;

/**
 * The request is not supported by this version, or is not sensible; the message explains it in a
 * sentence.
 */
final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  RefusedException(String message) {
    super(message);
  }
}
