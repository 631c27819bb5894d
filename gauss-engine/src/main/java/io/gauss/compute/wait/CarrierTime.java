package io.gauss.compute.wait;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Shares the carrier threads of this JVM between statements that compute for a long time and all
 * others.
 *
 * <p>The scheduler of virtual threads does not do that: nothing is preempted, and a carrier takes
 * one task after the other from its present queue, so that a task that yields or parks for a moment
 * runs again before those that wait in another queue. So long statements get three quarters of each
 * window of time; when that is used up they sleep until the next window begins, and all other tasks
 * have the carriers to themselves.
 *
 * <p>In a simulation nodes with clocks of their own share this class: a window that ends later than
 * a window takes is another clock's, and over. Thread-safe.
 */
final class CarrierTime {
  private static final long WINDOW_NANOS = 50_000_000;

  /** All carriers' time in a window that long statements may take. */
  private static final long SHARE_NANOS = WINDOW_NANOS * carriers() * 3 / 4;

  private static final AtomicLong WINDOW_END = new AtomicLong();
  private static final AtomicLong TAKEN = new AtomicLong();

  private CarrierTime() {}

  private static int carriers() {
    return Integer.getInteger(
        "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
  }

  /**
   * How long a statement has to leave its carrier, at least one nanosecond.
   *
   * @param now as of {@link System#nanoTime}
   * @param worked nanoseconds since it last left it
   */
  static long pauseNanos(long now, long worked) {
    long end = WINDOW_END.get();
    boolean isOver = now - end >= 0 || end - now > WINDOW_NANOS;
    if (isOver && WINDOW_END.compareAndSet(end, now + WINDOW_NANOS)) {
      TAKEN.set(0);
    }
    boolean usedUp = TAKEN.addAndGet(worked) > SHARE_NANOS;
    return usedUp ? Math.max(1, WINDOW_END.get() - now) : 1;
  }
}
