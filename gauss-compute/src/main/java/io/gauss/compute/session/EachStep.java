package io.gauss.compute.session;

import io.gauss.common.error.Outage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs all steps in sequence, even if earlier ones fail: for freeing resources at the end of an
 * operation.
 */
final class EachStep {
  private static final Logger LOG = LoggerFactory.getLogger(EachStep.class);

  /** Is notified of steps that failed. */
  interface Failures {
    void failed(String step, Throwable why);
  }

  private final Failures failures;

  EachStep(Failures failures) {
    this.failures = failures;
  }

  /**
   * Steps whose failures are logged.
   *
   * @param session its number, or 0 when it has none yet
   */
  static EachStep ofSession(int session) {
    return new EachStep(
        (step, why) -> {
          if (Outage.is(why)) {
            LOG.warn("session {}: {} at its end failed: {}", session, step, why.toString());
          } else {
            LOG.error("session {}: {} at its end failed", session, step, why);
          }
        });
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
