package io.gauss.compute.log;

import java.time.Duration;

/**
 * Measures for how long something under way has made no progress.
 *
 * <p>Each check passes in the time. The time between two checks counts for no more than {@link
 * #MAX_STEP_PARTS one part} of the limit: a process that was paused has not waited meanwhile, and
 * the answers may be in its sockets. Not thread-safe.
 */
final class StallWatch {
  private static final int LOOKS = 16;
  private static final int MAX_STEP_PARTS = 4;
  private static final long SHORTEST_LOOK_NANOS = 1_000_000;
  private static final long LONGEST_LOOK_NANOS = 250_000_000;

  private final long limitNanos;
  private long progress = -1;
  private long lastLook;
  private long stalledNanos;

  /**
   * @param limit time without progress after which it is stalled
   */
  StallWatch(Duration limit) {
    this.limitNanos = limit.toNanos();
  }

  /** How often to check while something is under way. */
  long lookNanos() {
    return Math.clamp(limitNanos / LOOKS, SHORTEST_LOOK_NANOS, LONGEST_LOOK_NANOS);
  }

  /**
   * @param now monotonic nanoseconds
   * @param underWay whether there is anything that could make progress
   * @param reached rises with progress
   * @return whether it is stalled
   */
  boolean look(long now, boolean underWay, long reached) {
    if (!underWay || reached != progress) {
      stalledNanos = 0;
    } else {
      stalledNanos += Math.min(now - lastLook, limitNanos / MAX_STEP_PARTS);
    }
    progress = underWay ? reached : -1;
    lastLook = now;
    return stalledNanos >= limitNanos;
  }
}
