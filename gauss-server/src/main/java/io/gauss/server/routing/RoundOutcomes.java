package io.gauss.server.routing;

import io.gauss.router.process.TrainingException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs rounds of learning, of which any may fail by whatever a library throws, and counts what came
 * of them. One thread runs them; any thread may read counts.
 */
final class RoundOutcomes {
  private static final Logger LOG = LoggerFactory.getLogger(RoundOutcomes.class);

  /** Until the next round after the first failure; twice as long after each further one. */
  static final long PAUSE_MILLIS = TimeUnit.SECONDS.toMillis(5);

  static final long MOST_PAUSE_MILLIS = TimeUnit.SECONDS.toMillis(80);

  /** What came of a round. */
  enum Outcome {
    /** It was published. */
    PUBLISHED,
    /** It would have saved too little. */
    UNCHANGED,
    /** It failed, and drivers keep what was published. */
    FAILED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<Outcome, LongAdder> counts = new EnumMap<>(Outcome.class);
  private volatile int failedInARow;
  private boolean isPublished;

  RoundOutcomes() {
    for (Outcome outcome : Outcome.values()) {
      counts.put(outcome, new LongAdder());
    }
  }

  /**
   * Runs a round.
   *
   * @param round returns the ms to wait before the next one; 0 without a publication = there was
   *     nothing to learn from yet
   * @return ms to wait before the next one
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one round after another
  long run(LongSupplier round) {
    isPublished = false;
    try {
      long pause = round.getAsLong();
      failedInARow = 0;
      if (isPublished || pause > 0) {
        counts.get(isPublished ? Outcome.PUBLISHED : Outcome.UNCHANGED).increment();
      }
      return pause;
    } catch (RuntimeException | Error e) {
      // A round may need more stack, or a class, than there is: that is no reason to end learning.
      counts.get(Outcome.FAILED).increment();
      failedInARow = failedInARow + 1;
      tell(e);
      return Math.min(MOST_PAUSE_MILLIS, PAUSE_MILLIS << Math.min(failedInARow - 1, 8));
    }
  }

  private void tell(Throwable failure) {
    if (failure instanceof TrainingException) {
      LOG.debug("a round of learning has failed: {}", failure.getMessage()); // told by who threw it
    } else if (failedInARow == 1) {
      LOG.warn(
          "a round of learning where transactions belong has failed; drivers keep what was"
              + " published. It is tried again, and not told again before a round succeeds",
          failure);
    } else {
      LOG.debug("{} rounds of learning have failed in a row", failedInARow, failure);
    }
  }

  /** The round under way has published something. */
  void published() {
    isPublished = true;
  }

  /** Rounds that failed since the last one that did not. */
  int failedInARow() {
    return failedInARow;
  }

  long count(Outcome outcome) {
    return counts.get(outcome).sum();
  }
}
