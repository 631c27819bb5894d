package io.gauss.server;

/**
 * What was asked for is not there in this version, or makes no sense; the message says so in a
 * sentence.
 */
final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  RefusedException(String message) {
    super(message);
  }
}
