package io.gauss.compute.buffer;

import io.gauss.common.invariant.Invariant;
import io.gauss.common.memory.Memory;
import io.gauss.common.memory.Slab;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageView;
import io.gauss.compute.buffer.FrameSupply.Drop;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.holder.PageFrames.Source;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/**
 * The rights of frames, which other nodes give and take. Each page is changed by one thread, its
 * lane; readers and writers see a change when they have latched the frame.
 *
 * <p>A page that arrives after its frame has gone (its waiter was interrupted, or it was requested
 * twice) is kept in a separate place here until it is given back.
 */
final class FrameRights {
  private static final int FROM_SHIFT = 58;
  private static final long NUMBER_MASK = (1L << FROM_SHIFT) - 1;

  private final BufferPool pool;
  private final Frames frames;
  private final Latches latches;
  private final FrameSupply supply;
  private final Map<Long, Stray> strays = new ConcurrentHashMap<>();

  /** A page without a frame. */
  private static final class Stray {
    private final Slab bytes = Slab.allocate(PageLayout.PAGE_BYTES);
    private volatile int right = PageRight.LOADING;
    private volatile long origin;
  }

  FrameRights(BufferPool pool, Frames frames, Latches latches, FrameSupply supply) {
    this.pool = pool;
    this.frames = frames;
    this.latches = latches;
    this.supply = supply;
  }

  /** The state that the frame alone shows. */
  HolderPage held(long page) {
    Stray stray = strays.get(page);
    int frame = find(page);
    if (stray == null && frame < 0) {
      return HolderPage.ABSENT;
    }
    int right = stray != null ? stray.right : frames.right(frame);
    long origin = stray != null ? stray.origin : frames.origin(frame);
    long number = origin & NUMBER_MASK;
    return switch (right) {
      case PageRight.OWNED -> HolderPage.owned(number);
      case PageRight.SHARED -> HolderPage.shared(number, giver(origin));
      default -> HolderPage.ABSENT;
    };
  }

  /** The node that gave a copy; 0 = its home. */
  static int giver(long origin) {
    return (int) (origin >>> FROM_SHIFT);
  }

  private int find(long page) {
    synchronized (stripe(page)) {
      return frames.findLocked(page);
    }
  }

  private Object stripe(long page) {
    return frames.stripe(Frames.hash(page));
  }

  /** Where the page's bytes are; 0 when they are not here. */
  private long here(long page) {
    Stray stray = strays.get(page);
    if (stray != null) {
      return stray.bytes.address();
    }
    int frame = find(page);
    if (frame < 0) {
      return 0;
    }
    int right = frames.right(frame);
    boolean hasBytes = PageRight.allowsRead(right) || right == PageRight.LEAVING;
    return hasBytes ? pool.address(frame) : 0;
  }

  long lsn(long page) {
    long address = here(page);
    return address == 0 ? 0 : Memory.getLong(address + PageLayout.LSN);
  }

  /** The kind of a page whose bytes have come, whatever the right to it. */
  PageKind kind(long page) {
    Stray stray = strays.get(page);
    if (stray != null) {
      return PageKind.of(page, stray.bytes.address());
    }
    int frame = find(page);
    return frame < 0 ? PageKind.OTHER : PageKind.of(page, pool.address(frame));
  }

  /** Records where the page came from, for the threads that wait for it. */
  void cameFrom(long page, Source source) {
    int frame = find(page);
    PageLoad load = frame < 0 ? null : pool.loadOf(page, frame);
    if (load != null) {
      load.cameFrom(source);
    }
  }

  /** Number of the stream of the page's last change. */
  int stream(long page) {
    long address = here(page);
    return address == 0 ? 0 : PageView.stream(address);
  }

  /** Copies a page that is no longer written here, or copies it under the latch. */
  void copyOut(long page, long destination) {
    if (strays.containsKey(page)) {
      Memory.copy(here(page), destination, PageLayout.PAGE_BYTES);
      return;
    }
    int frame = find(page);
    if (!latches.acquire(frame, page, false)) {
      throw Invariant.broken("the frame of a page that leaves has gone");
    }
    try {
      Memory.copy(pool.address(frame), destination, PageLayout.PAGE_BYTES);
    } finally {
      latches.releaseShared(frame);
    }
  }

  /**
   * Address to which the bytes of an arriving page are written; the page is not read until {@link
   * #endInstall}. This does not change its right.
   */
  long startInstall(long page) {
    int frame;
    synchronized (stripe(page)) {
      frame = frames.findLocked(page);
      if (frame >= 0) {
        frames.addPins(frame, 1);
      }
    }
    if (frame < 0) {
      return strays.computeIfAbsent(page, p -> new Stray()).bytes.address();
    }
    if (PageRight.allowsRead(frames.right(frame)) && !latches.acquire(frame, page, true)) {
      throw Invariant.broken("the frame of a page that is used has gone");
    }
    return pool.address(frame);
  }

  void endInstall(long page) {
    if (strays.containsKey(page)) {
      return;
    }
    int frame = find(page);
    if (PageRight.allowsRead(frames.right(frame))) {
      latches.releaseExclusive(frame);
    }
    frames.addPins(frame, -1);
  }

  /**
   * Changes a page's right. When this returns, no thread uses the page in a way that the right does
   * not allow.
   *
   * @param number of the transfer or share
   * @param from the node that gave a copy
   */
  void change(long page, int right, long number, int from) {
    long origin = (long) from << FROM_SHIFT | number & NUMBER_MASK;
    Stray stray = strays.get(page);
    if (stray != null) {
      stray.right = right;
      stray.origin = origin;
      if (right == PageRight.LOST) {
        strays.remove(page);
      }
      return;
    }
    int frame = find(page);
    if (frame < 0) {
      return;
    }
    int before = frames.right(frame);
    if (before == PageRight.LOADING && right == PageRight.LOST) {
      return; // the right for which it is loaded has only been requested
    }
    boolean isLess =
        PageRight.allowsRead(before) && !PageRight.allowsRead(right)
            || PageRight.allowsWrite(before) && !PageRight.allowsWrite(right);
    if (isLess && latches.acquire(frame, page, true)) {
      set(frame, right, origin);
      latches.releaseExclusive(frame);
    } else if (!isLess) {
      set(frame, right, origin);
    }
    if (right == PageRight.LOST && supply.drop(frame, true) == Drop.DONE) {
      supply.giveBack(frame);
    }
  }

  private void set(int frame, int right, long origin) {
    if (frames.right(frame) == PageRight.LOADING || frames.right(frame) == PageRight.LOST) {
      frames.loadedLsn(frame, Memory.getLong(pool.address(frame) + PageLayout.LSN));
    }
    frames.origin(frame, origin);
    frames.right(frame, right);
  }

  /**
   * Wakes the threads that wait for the page.
   *
   * @return the load that is over, of a page for which no thread waited an empty one; null when the
   *     page cannot be used, since it has no frame
   */
  PageLoad arrived(long page) {
    int frame = find(page);
    if (frame < 0) {
      return null;
    }
    Stray stray = strays.remove(page);
    if (stray != null) {
      Memory.copy(stray.bytes.address(), pool.address(frame), PageLayout.PAGE_BYTES);
      set(frame, stray.right, stray.origin);
    }
    PageLoad load = pool.wake(page, frame, null);
    return load == null ? new PageLoad(page) : load;
  }

  void failed(long page, Throwable why) {
    Stray stray = strays.get(page);
    if (stray != null && stray.right == PageRight.LOADING) {
      strays.remove(page); // its bytes have not come
    }
    int frame = find(page);
    if (frame >= 0) {
      pool.failed(page, frame, why);
    }
  }

  /** Threads that wait for one of these pages get the error. */
  void failAll(LongPredicate which, Throwable why) {
    for (int frame = 0; frame < frames.count(); frame++) {
      long page = frames.pageId(frame);
      if (page != 0 && which.test(page) && pool.loadOf(page, frame) != null) {
        failed(page, why);
      }
    }
  }

  /** Whether a thread is about to latch the page. */
  boolean isPinned(long page) {
    int frame = find(page);
    return frame >= 0 && frames.pins(frame) > 0;
  }

  /** Whether a thread that needs several pages retains this one until it has the others. */
  boolean isKept(long page) {
    int frame = find(page);
    return frame >= 0 && frames.keeps(frame) > 0;
  }

  /** Visits the pages that are owned and of which others may have copies. */
  void forEachLent(LongConsumer visitor) {
    for (int frame = 0; frame < frames.count(); frame++) {
      long page = frames.pageId(frame);
      if (page != 0 && frames.right(frame) == PageRight.LENT) {
        visitor.accept(page);
      }
    }
  }

  /** Visits the pages with a settled right, those without a frame included. */
  void forEach(boolean onlyShared, LongConsumer visitor) {
    for (int frame = 0; frame < frames.count(); frame++) {
      long page = frames.pageId(frame);
      if (page != 0 && isSettled(frames.right(frame), onlyShared)) {
        visitor.accept(page);
      }
    }
    strays.forEach(
        (page, stray) -> {
          if (isSettled(stray.right, onlyShared)) {
            visitor.accept(page);
          }
        });
  }

  private static boolean isSettled(int right, boolean onlyShared) {
    return right == PageRight.SHARED || !onlyShared && right == PageRight.OWNED;
  }
}
