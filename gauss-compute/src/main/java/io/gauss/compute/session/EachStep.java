package io.gauss.compute.session;

/**
 * Runs all steps in sequence, even if earlier ones fail: for freeing resources at the end of an
 * operation.
 */
final class EachStep {
  /** Is notified of steps that failed. */
  interface Failures {
    void failed(String step, Throwable why);
  }

  private final Failures failures;

  EachStep(Failures failures) {
    this.failures = failures;
  }

  /** Throws nothing. */
  void run(String step, Runnable action) {
    try {
      action.run();
    } catch (Throwable t) {
      failures.failed(step, t);
    }
  }
}
