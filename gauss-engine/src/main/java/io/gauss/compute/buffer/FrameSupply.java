package io.gauss.compute.buffer;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageView;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.wait.WaitCause;
import io.gauss.compute.wait.WaitCounter;
import java.util.concurrent.atomic.LongAdder;

/**
 * Supplies unused frames: free ones, and frames taken from pages that are not in use now. Log
 * first: a page whose redo is not durable keeps its frame.
 *
 * <p>Not kept: fairness among threads that wait for a frame; when all frames are pinned, 53200.
 * Thread-safe.
 */
final class FrameSupply {
  /** No frame is free now, but pages are being given back to their homes. */
  private static final int SOON = Frames.NONE - 1;

  /** How many pages one search for a frame gives back at most, when that takes time. */
  private static final int MOST_BEGUN = 8;

  /** Share of the frames that is kept free, when giving pages back takes time. */
  private static final int RESERVE_SHARE = 128;

  private static final int MOST_RESERVE = 64;

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
  private final int reserve;

  /** The outcome of emptying a frame. */
  enum Drop {
    NO,
    /** Its page is being given back to its home; the frame becomes free when that ends. */
    BEGUN,
    DONE
  }

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
    this.reserve = source.isShared() ? Math.min(MOST_RESERVE, free.length / RESERVE_SHARE) : 0;
  }

  /** How often a thread had to wait for a frame. */
  WaitCounter waits() {
    return waits;
  }

  long evictions() {
    return evictions.sum();
  }

  /** An unused frame; waits until one can be freed. */
  int take(EngineContext ctx) {
    int frame = tryTake();
    if (frame >= 0) {
      return frame;
    }
    ctx.waits().beforeWait();
    long start = Environment.nanoTime();
    try {
      return await(ctx, start, frame);
    } finally {
      ctx.waits().waited(WaitCause.PAGE, waits.waitedSince(start));
    }
  }

  private int await(EngineContext ctx, long start, int before) {
    int frame = before;
    for (int round = 0; ; round++) {
      // Pages that are not durable yet cannot be dropped: have the log forced.
      if (frame != SOON && log.refusal() == null) {
        log.awaitDurable(ctx, log.reservedLsn());
      }
      frame = tryTake();
      if (frame >= 0) {
        return frame;
      }
      if (Environment.nanoTime() - start > settings.evictionWait().toNanos()) {
        throw new GaussException(
                SqlState.OUT_OF_MEMORY,
                "no page of the buffer pool can be evicted: all " + frames.count() + " are in use")
            .hint("Raise the size of the buffer pool.");
      }
      Environment.parkNanos(this, 20_000L << Math.min(round, 6));
      ctx.interrupts().check();
    }
  }

  /** Number of unused frames now. */
  int free() {
    synchronized (free) {
      return freeCount;
    }
  }

  /** An unused frame, from the free ones or by dropping a page; negative when there is none now. */
  int tryTake() {
    int frame = Frames.NONE;
    boolean isEnough;
    synchronized (free) {
      if (freeCount > 0) {
        frame = free[--freeCount];
      }
      isEnough = freeCount >= reserve;
    }
    // A page that has to be given back frees its frame later: begin while other frames are free.
    return frame >= 0 && isEnough ? frame : search(frame);
  }

  private int search(int found) {
    int frame = found;
    int begun = 0;
    for (int i = policy.patience(); i > 0; i--) {
      int candidate = policy.candidate();
      Drop dropped = candidate < 0 ? Drop.NO : drop(candidate, false);
      if (dropped == Drop.DONE && frame < 0) {
        return candidate;
      } else if (dropped == Drop.DONE) {
        giveBack(candidate);
        return frame;
      } else if (dropped == Drop.BEGUN && ++begun == (frame < 0 ? MOST_BEGUN : 2)) {
        break;
      }
    }
    return frame < 0 && begun > 0 ? SOON : frame;
  }

  void giveBack(int frame) {
    synchronized (free) {
      free[freeCount++] = frame;
    }
  }

  /**
   * Empties a frame if it is not in use and the log holds everything of its page.
   *
   * @param unwanted the page will never be read again, durable or not
   */
  Drop drop(int frame, boolean unwanted) {
    if (!PageRight.allowsDrop(frames.right(frame))
        || frames.pins(frame) != 0
        || !latches.tryExclusiveIfIdle(frame)) {
      return Drop.NO;
    }
    try {
      int right = frames.right(frame);
      long pageId = frames.pageId(frame);
      if (!PageRight.allowsDrop(right)) {
        return Drop.NO;
      }
      if (right == PageRight.FAILED) {
        // Its page left the table when the load failed; the last waiter removes the pin.
        if (frames.pins(frame) != 0) {
          return Drop.NO;
        }
        frames.right(frame, PageRight.FREE);
        return Drop.DONE;
      }
      long page = slab + (long) frame * PageLayout.PAGE_BYTES;
      long lsn = Memory.getLong(page + PageLayout.LSN);
      // A page that another node wrote last was durable before it came (law 3, log before leave);
      // its LSNs say nothing about this node's log.
      boolean isDurable = PageView.stream(page) != log.streamId() || lsn <= log.durableLsn();
      if (!unwanted && right != PageRight.LOST && !isDurable) {
        return Drop.NO;
      }
      FaultPoints.hit("buffer.evict");
      synchronized (frames.stripe(Frames.hash(pageId))) {
        if (frames.pins(frame) != 0) {
          return Drop.NO;
        }
        if (right != PageRight.LOST
            && !source.release(pageId, frame, lsn != frames.loadedLsn(frame))) {
          return Drop.BEGUN;
        }
        frames.unlink(frame, pageId);
        frames.right(frame, PageRight.FREE);
      }
      evictions.increment();
      return Drop.DONE;
    } finally {
      latches.releaseExclusive(frame);
    }
  }
}
