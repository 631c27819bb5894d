package io.gauss.router.process;

/** A training process has failed, with what is known of it. */
final class ChildException extends Exception {
  private static final long serialVersionUID = 1L;

  private final TrainingFailure failure;

  ChildException(TrainingFailure failure, String message) {
    super(message);
    this.failure = failure;
  }

  TrainingFailure failure() {
    return failure;
  }
}
