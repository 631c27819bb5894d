package io.gauss.common.page;

import io.gauss.common.invariant.Invariant;
import io.gauss.common.memory.Memory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A few buffers of two pages each for rebuilding a page (compaction, split). Borrowed for some
 * microseconds, never across a wait, so a bitmap of 64 is enough: there are far fewer carrier
 * threads. No thread-locals, since there are thousands of virtual threads. Thread-safe.
 */
public final class ScratchPages {
  private static final int BUFFERS = 64;
  private static final int BUFFER_BYTES = 2 * PageLayout.PAGE_BYTES;

  private static final long BASE = Memory.allocateForever((long) BUFFERS * BUFFER_BYTES, 64);
  private static final AtomicLong TAKEN = new AtomicLong();

  private ScratchPages() {}

  /**
   * Address of two pages' bytes with arbitrary content; return them with {@link #release} in a
   * finally block.
   */
  public static long acquire() {
    while (true) {
      long taken = TAKEN.get();
      long free = Long.lowestOneBit(~taken);
      if (free == 0) {
        Thread.onSpinWait();
      } else if (TAKEN.compareAndSet(taken, taken | free)) {
        return BASE + (long) Long.numberOfTrailingZeros(free) * BUFFER_BYTES;
      }
    }
  }

  public static void release(long buffer) {
    long bit = 1L << ((buffer - BASE) / BUFFER_BYTES);
    long before = TAKEN.getAndAccumulate(~bit, (taken, mask) -> taken & mask);
    Invariant.check((before & bit) != 0, "scratch page released twice");
  }
}
