package io.gauss.compute.buffer;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageView;
import io.gauss.compute.engine.EngineContext;
import io.gauss.compute.engine.WaitCause;
import io.gauss.compute.engine.WaitCounter;
import io.gauss.compute.log.LogBuffer;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Frames that are nobody's: free ones, and those that are taken from pages which nobody uses now.
 * Log first: a page whose redo is not durable keeps its frame.
 *
 * <p>Not kept: fairness of those who wait for a frame; when all frames are pinned, 53200.
 * Thread-safe.
 */
final class FrameSupply {
  private final Frames frames;
  private final Latches latches;
  private final EvictionPolicy policy;
  private final PoolSettings settings;
  private final LogBuffer log;
  private final PageSource source;
  private final long slab;
  private final int[] free; // stack, under its own lock
  private int freeCount;
  private final LongAdder evictions = new LongAdder();
  private final WaitCounter waits = new WaitCounter();

  FrameSupply(
      Frames frames,
      Latches latches,
      EvictionPolicy policy,
      PoolSettings settings,
      LogBuffer log,
      PageSource source,
      long slab) {
    this.frames = frames;
    this.latches = latches;
    this.policy = policy;
    this.settings = settings;
    this.log = log;
    this.source = source;
    this.slab = slab;
    this.free = new int[frames.count()];
    for (int i = 0; i < free.length; i++) {
      free[i] = free.length - 1 - i;
    }
    this.freeCount = free.length;
  }

  /** How often a frame had to be waited for. */
  WaitCounter waits() {
    return waits;
  }

  long evictions() {
    return evictions.sum();
  }

  /** A frame that is nobody's; waits until one can be freed. */
  int take(EngineContext ctx) {
    int frame = tryTake();
    if (frame >= 0) {
      return frame;
    }
    ctx.beforeWait();
    long start = System.nanoTime();
    try {
      return await(ctx, start);
    } finally {
      ctx.waited(WaitCause.PAGE, waits.waitedSince(start));
    }
  }

  private int await(EngineContext ctx, long start) {
    int frame;
    for (int round = 0; ; round++) {
      // What is not durable yet cannot be dropped: have the log forced.
      if (log.refusal() == null) {
        log.awaitDurable(ctx, log.reservedLsn());
      }
      frame = tryTake();
      if (frame >= 0) {
        return frame;
      }
      if (System.nanoTime() - start > settings.evictionWait().toNanos()) {
        throw new GaussException(
                SqlState.OUT_OF_MEMORY,
                "no page of the buffer pool can be evicted: all " + frames.count() + " are in use")
            .hint("Raise the size of the buffer pool.");
      }
      LockSupport.parkNanos(this, 20_000L << Math.min(round, 6));
      ctx.checkInterrupt();
    }
  }

  /**
   * A frame that is nobody's, from the free ones or by dropping a page; -1 when none can be dropped
   * now.
   */
  int tryTake() {
    synchronized (free) {
      if (freeCount > 0) {
        return free[--freeCount];
      }
    }
    for (int i = policy.patience(); i > 0; i--) {
      int frame = policy.candidate();
      if (frame >= 0 && drop(frame, false)) {
        return frame;
      }
    }
    return Frames.NONE;
  }

  void giveBack(int frame) {
    synchronized (free) {
      free[freeCount++] = frame;
    }
  }

  /**
   * Empties a frame when nobody uses it and the log holds all of its page.
   *
   * @param unwanted the page will never be read again, durable or not
   */
  boolean drop(int frame, boolean unwanted) {
    if (!PageRight.allowsDrop(frames.right(frame))
        || frames.pins(frame) != 0
        || !latches.tryExclusiveIfIdle(frame)) {
      return false;
    }
    try {
      int right = frames.right(frame);
      long pageId = frames.pageId(frame);
      if (!PageRight.allowsDrop(right)) {
        return false;
      }
      if (right == PageRight.FAILED) {
        // Its page left the table when the load failed; the last who waited for it takes the pin
        // away.
        if (frames.pins(frame) != 0) {
          return false;
        }
        frames.right(frame, PageRight.FREE);
        return true;
      }
      long page = slab + (long) frame * PageLayout.PAGE_BYTES;
      long lsn = Memory.getLong(page + PageLayout.LSN);
      // What another node wrote was durable before it came (law 3); its LSNs say nothing of our
      // log.
      boolean isDurable = PageView.stream(page) != log.streamId() || lsn <= log.durableLsn();
      if (!unwanted && right != PageRight.LOST && !isDurable) {
        return false;
      }
      FaultPoints.hit("buffer.evict");
      synchronized (frames.stripe(Frames.hash(pageId))) {
        if (frames.pins(frame) != 0) {
          return false;
        }
        if (right != PageRight.LOST
            && !source.letGo(pageId, frame, lsn != frames.loadedLsn(frame))) {
          return false;
        }
        frames.unlink(frame, pageId);
        frames.right(frame, PageRight.FREE);
      }
      evictions.increment();
      return true;
    } finally {
      latches.releaseExclusive(frame);
    }
  }
}
