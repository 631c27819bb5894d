package io.gauss.compute.buffer;

import io.gauss.common.runtime.Environment;
import java.util.concurrent.TimeUnit;

/**
 * The turn of the threads of this node that waited for a page: how long it stays here before other
 * nodes get it. They have it pinned until they have latched it.
 *
 * <p>It stays until one of them has used it, and then for a moment, for the others. That moment
 * alone would not do: where threads wait for processors, each node would give the page away before
 * it had used it, and none would get on, however often the page came.
 *
 * <p>Belongs to the page's lane.
 */
final class PageTurn {
  /** For the others, once one has used the page. */
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * For a thread that needs several pages together, and for one that has not run since the page
   * came. The order of acquisition already excludes that two nodes wait for each other, and the
   * other thread waits for a processor only: so this limit is for unforeseen cases and for threads
   * that hang.
   */
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * The time between two looks counts for no more than this part of a long turn: when the process
   * stood still, no thread has had its turn meanwhile.
   */
  private static final int LEAST_LOOKS = 16;

  private static final long FIRST_LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  /** Later looks come after this part of the time that the turn has taken. */
  private static final int LOOK_PART = 8;

  private final PageLoad load;
  private long lastLook = Environment.nanoTime();
  private long owed; // nanoseconds for which it stayed for whom it is owed or kept,
  private long had; // and for the others

  /**
   * @param load by which the page came
   */
  PageTurn(PageLoad load) {
    this.load = load;
  }

  long nextLookNanos() {
    return Math.max(FIRST_LOOK_NANOS, (owed + had) / LOOK_PART);
  }

  /**
   * Whether the page stays.
   *
   * @param isPinned a thread is about to latch it
   * @param isKept a thread retains it until it has other pages
   */
  boolean continues(boolean isPinned, boolean isKept) {
    long now = Environment.nanoTime();
    long step = Math.min(now - lastLook, LONG_NANOS / LEAST_LOOKS);
    lastLook = now;
    if (load.isOwed() || isKept) {
      owed += step;
      return owed < LONG_NANOS;
    }
    had += step;
    return had < SHORT_NANOS && isPinned;
  }
}
