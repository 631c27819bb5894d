package io.gauss.compute.buffer;

import io.gauss.common.invariant.Invariant;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The control words of all frames: eight longs (a cache line) per frame in one array, so that
 * finding, latching and checking a page touches one line.
 *
 * <pre>
 *  0  page id, PageId.NONE while the frame is free
 *  1  latch word, see {@link Latches}
 *  2  pins: users that need the page to stay resident while they hold no latch (low half), and
 *     those of them that keep the right to it from other nodes for a moment (high half)
 *  3  right, see {@link PageRight}
 *  4  next frame of the hash chain, -1 at its end
 *  5  touched since the clock hand passed (second chance)
 *  6  page LSN at loading; equal to the page's LSN while it was not changed here
 *  7 which node gave the right, under which number, see {@link FrameRights}
 * </pre>
 *
 * <p>The hash chains are read without a lock: a reader may be led astray by a frame that moves to
 * another chain, so a frame that it finds is verified under the latch, and a page that it does not
 * find is looked up again under the stripe's lock before it counts as absent. Chains are changed
 * under the stripe's lock only.
 */
final class Frames {
  static final int NONE = -1;

  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);

  private static final int SHIFT = 3;
  private static final int PAGE_ID = 0;
  private static final int LATCH = 1;
  private static final int PINS = 2;
  private static final int RIGHT = 3;
  private static final int NEXT = 4;
  private static final int TOUCHED = 5;
  private static final int LOADED_LSN = 6;
  private static final int ORIGIN = 7;

  private static final int STRIPES = 256;

  private final int count;
  private final long[] words;
  private final int[] heads;
  private final int bucketMask;
  private final Object[] stripes = new Object[STRIPES];

  Frames(int count) {
    this.count = count;
    this.words = new long[count << SHIFT];
    int buckets = Integer.highestOneBit(Math.max(16, count * 2 - 1)) << 1;
    this.heads = new int[buckets];
    this.bucketMask = buckets - 1;
    Arrays.fill(heads, NONE);
    Arrays.setAll(stripes, i -> new Object());
  }

  int count() {
    return count;
  }

  static int hash(long pageId) {
    long mixed = pageId * 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32) ^ (int) (mixed >>> 20);
  }

  Object stripe(int hash) {
    return stripes[hash & bucketMask & (STRIPES - 1)];
  }

  /** Frame of a page, or {@link #NONE}, which may be wrong while chains change. */
  int find(long pageId) {
    int frame = (int) INTS.getAcquire(heads, hash(pageId) & bucketMask);
    int steps = 0;
    while (frame >= 0) {
      if (pageId(frame) == pageId) {
        return frame;
      }
      if (++steps > 64) {
        return NONE;
      }
      frame = (int) (long) LONGS.getAcquire(words, (frame << SHIFT) + NEXT);
    }
    return NONE;
  }

  /** Frame of a page, or {@link #NONE}; exact. The caller holds the stripe's lock. */
  int findLocked(long pageId) {
    int frame = heads[hash(pageId) & bucketMask];
    while (frame >= 0 && pageId(frame) != pageId) {
      frame = (int) words[(frame << SHIFT) + NEXT];
    }
    return frame;
  }

  /** Links a frame whose words are set. The caller holds the stripe's lock. */
  void link(int frame, long pageId) {
    int bucket = hash(pageId) & bucketMask;
    LONGS.setRelease(words, (frame << SHIFT) + NEXT, (long) heads[bucket]);
    LONGS.setRelease(words, (frame << SHIFT) + PAGE_ID, pageId);
    INTS.setRelease(heads, bucket, frame);
  }

  /**
   * Takes a frame out of its chain; its next pointer stays, so that readers on it continue. The
   * caller holds the stripe's lock.
   */
  void unlink(int frame, long pageId) {
    int bucket = hash(pageId) & bucketMask;
    long next = words[(frame << SHIFT) + NEXT];
    if (heads[bucket] == frame) {
      INTS.setRelease(heads, bucket, (int) next);
    } else {
      int before = heads[bucket];
      while (before >= 0 && (int) words[(before << SHIFT) + NEXT] != frame) {
        before = (int) words[(before << SHIFT) + NEXT];
      }
      Invariant.check(before >= 0, "frame {} is not in the chain of its page", frame);
      LONGS.setRelease(words, (before << SHIFT) + NEXT, next);
    }
    LONGS.setRelease(words, (frame << SHIFT) + PAGE_ID, 0L);
  }

  long pageId(int frame) {
    return (long) LONGS.getAcquire(words, (frame << SHIFT) + PAGE_ID);
  }

  long latch(int frame) {
    return (long) LONGS.getVolatile(words, (frame << SHIFT) + LATCH);
  }

  boolean casLatch(int frame, long expected, long word) {
    return LONGS.compareAndSet(words, (frame << SHIFT) + LATCH, expected, word);
  }

  int pins(int frame) {
    return (int) (long) LONGS.getVolatile(words, (frame << SHIFT) + PINS);
  }

  /** How many of the pins keep the page's right here. */
  int keeps(int frame) {
    return (int) ((long) LONGS.getVolatile(words, (frame << SHIFT) + PINS) >>> 32);
  }

  /** Makes a pin one that keeps the right ({@code delta} 1), or an ordinary one again (-1). */
  void addRetains(int frame, int delta) {
    LONGS.getAndAdd(words, (frame << SHIFT) + PINS, (long) delta << 32);
  }

  void addPins(int frame, int delta) {
    long before = (long) LONGS.getAndAdd(words, (frame << SHIFT) + PINS, (long) delta);
    Invariant.check((int) before + delta >= 0, "page unpinned more often than pinned");
  }

  int right(int frame) {
    return (int) (long) LONGS.getAcquire(words, (frame << SHIFT) + RIGHT);
  }

  void right(int frame, int right) {
    LONGS.setRelease(words, (frame << SHIFT) + RIGHT, (long) right);
  }

  void touch(int frame) {
    int index = (frame << SHIFT) + TOUCHED;
    if (words[index] == 0) {
      words[index] = 1;
    }
  }

  /** Clears the touched mark and returns whether it was set. */
  boolean untouch(int frame) {
    int index = (frame << SHIFT) + TOUCHED;
    boolean touched = words[index] != 0;
    words[index] = 0;
    return touched;
  }

  long loadedLsn(int frame) {
    return words[(frame << SHIFT) + LOADED_LSN];
  }

  void loadedLsn(int frame, long lsn) {
    words[(frame << SHIFT) + LOADED_LSN] = lsn;
  }

  long origin(int frame) {
    return words[(frame << SHIFT) + ORIGIN];
  }

  void origin(int frame, long origin) {
    words[(frame << SHIFT) + ORIGIN] = origin;
  }
}
