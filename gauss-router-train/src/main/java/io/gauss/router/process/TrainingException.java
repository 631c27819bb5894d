package io.gauss.router.process;

/** A process has failed to train, and the log says why. The next round starts another one. */
public final class TrainingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TrainingException(String message, Throwable cause) {
    super(message, cause);
  }

  TrainingException(String message) {
    super(message);
  }
}
