package io.gauss.compute.session;

/**
 * Runs steps one after the other of which each is to be tried, whatever became of those before:
 * what is freed at the end of something.
 */
final class EachStep {
  /** Hears of steps that failed. */
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
