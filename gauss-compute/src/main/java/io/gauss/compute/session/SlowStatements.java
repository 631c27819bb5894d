package io.gauss.compute.session;

import io.gauss.common.runtime.Environment;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.sql.parse.TextWithoutValues;
import io.gauss.compute.wait.WaitCause;
import java.util.ArrayDeque;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a session's slow statements, with the causes of their waits. A statement's time is from its
 * message to its answer, including the wait for the log, so it is logged when it is answered.
 * Statements that fail are not logged, and the values in a text are left out. Belongs to the
 * session.
 */
final class SlowStatements {
  private static final Logger LOG = LoggerFactory.getLogger(SlowStatements.class);
  private static final WaitCause[] CAUSES = WaitCause.values();
  private static final double NANOS_PER_MS = 1e6;
  private static final int MAX_TEXT = 2_000;

  /** Statements of a pipeline that are not answered yet; the oldest are forgotten beyond that. */
  private static final int MAX_UNANSWERED = 256;

  private final EngineContext context;
  private final ArrayDeque<Ended> unanswered = new ArrayDeque<>();
  private final long[] waitedBefore = new long[CAUSES.length];
  private long thresholdNanos = -1;
  private long start;

  private record Ended(String text, long nanos, long[] waited) {}

  SlowStatements(EngineContext context) {
    this.context = context;
  }

  /**
   * @param millis statements that take at least this long are logged; -1 = none
   */
  void threshold(long millis) {
    thresholdNanos = millis < 0 ? -1 : millis * 1_000_000;
    start = 0;
  }

  boolean isOn() {
    return thresholdNanos >= 0;
  }

  /** A message arrives; it may be a repetition, after it would have waited on an event loop. */
  void begin() {
    if (thresholdNanos >= 0 && start == 0) {
      start = Environment.nanoTime();
      for (WaitCause cause : CAUSES) {
        waitedBefore[cause.ordinal()] = context.waits().waitedNanos(cause);
      }
    }
  }

  /** The statement has run; its answer may have to wait for the log. */
  void end(String text) {
    if (thresholdNanos < 0 || start == 0) {
      return;
    }
    long[] waited = new long[CAUSES.length];
    for (WaitCause cause : CAUSES) {
      waited[cause.ordinal()] = context.waits().waitedNanos(cause) - waitedBefore[cause.ordinal()];
    }
    if (unanswered.size() == MAX_UNANSWERED) {
      unanswered.removeFirst();
    }
    unanswered.add(new Ended(text, Environment.nanoTime() - start, waited));
    start = 0;
  }

  void failed() {
    start = 0;
  }

  /**
   * The statements so far are answered.
   *
   * @param session as the log names it
   * @param logNanos how long the answer waited for the log
   */
  void answered(String session, long logNanos) {
    start = 0;
    for (Ended ended = unanswered.poll(); ended != null; ended = unanswered.poll()) {
      if (thresholdNanos >= 0 && ended.nanos + logNanos >= thresholdNanos) {
        log(session, ended, logNanos);
      }
    }
  }

  private static void log(String session, Ended ended, long logNanos) {
    LOG.info(
        "duration: {} ms (row lock {}, table lock {}, advisory lock {}, storage read {}, log {},"
            + " other nodes {}) session {}: {}",
        millis(ended.nanos + logNanos),
        millis(ended.waited[WaitCause.ROW.ordinal()]),
        millis(ended.waited[WaitCause.TABLE.ordinal()]),
        millis(ended.waited[WaitCause.ADVISORY.ordinal()]),
        millis(ended.waited[WaitCause.PAGE.ordinal()]),
        millis(ended.waited[WaitCause.LOG.ordinal()] + logNanos),
        millis(ended.waited[WaitCause.NODE.ordinal()]),
        session,
        TextWithoutValues.of(ended.text, MAX_TEXT));
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.3f", nanos / NANOS_PER_MS);
  }
}
