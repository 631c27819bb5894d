package io.gauss.compute.space;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.EngineContext;
import io.gauss.compute.log.Mtr;
import java.util.BitSet;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Hands out page numbers of one space from the extents that this node holds.
 *
 * <p>Logged are the extents alone. Within them the truth is in the pages: a page that was never
 * written or has type FREE is unused. What is known in memory is a cache of that, so reserving and
 * giving back write nothing, and a crash loses no page for good: after a restart the extents that
 * were not found full before are looked through, a few each time the space is about to grow.
 *
 * <p>Order of choice: pages freed here, pages given back, the rest of the current run of extents,
 * unused pages of an older extent, a new run. Runs grow with the space up to {@link #MAX_RUN}
 * extents, so that big spaces write their map seldom.
 *
 * <p>Thread-safe by one lock, under which growing may wait for the log and for pages of this
 * space's maps (no latch is held then). Lock order: this lock, then latches of map pages.
 */
final class SpaceAllocator {
  private static final int MAX_RUN = 8;
  private static final int LOOKS_PER_GROWTH = 4;
  private static final int MAX_EXTENTS = Integer.MAX_VALUE / SpaceMapLayout.EXTENT_PAGES - MAX_RUN;

  private final BufferPool pool;
  private final int space;
  private final int node;
  private final ReentrantLock lock = new ReentrantLock();
  private final PageGuard guard = new PageGuard();

  private final NumberStack recycled = new NumberStack(); // of type FREE
  private final NumberStack fresh = new NumberStack(); // never written
  private int next; // the current run
  private int end;
  private int nextExtent;
  private final BitSet unseen =
      new BitSet(); // extents taken before the restart, not looked through
  private boolean loaded;

  SpaceAllocator(BufferPool pool, int space, int node) {
    this.pool = pool;
    this.space = space;
    this.node = node;
  }

  /** For a space that was created just now with its first extent. */
  void startNew(int firstUnused, int extents) {
    next = firstUnused;
    end = SpaceMapLayout.firstPage(extents);
    nextExtent = extents;
    loaded = true;
  }

  int reserve(EngineContext ctx) {
    enter(ctx);
    int number;
    boolean used;
    try {
      load(ctx);
      if (recycled.isEmpty() && fresh.isEmpty() && next == end) {
        grow(ctx);
      }
      used = !recycled.isEmpty();
      number = used ? recycled.pop() : !fresh.isEmpty() ? fresh.pop() : next++;
    } finally {
      lock.unlock();
    }
    boolean pinned = false;
    try {
      if (used) {
        pool.pin(ctx, PageId.of(space, number));
      } else {
        pool.pinFresh(ctx, PageId.of(space, number));
      }
      pinned = true;
    } finally {
      if (!pinned) {
        giveBack(number, used);
      }
    }
    return number;
  }

  void unreserve(int number) {
    boolean used = pool.dropFresh(PageId.of(space, number));
    giveBack(number, used);
  }

  private void giveBack(int number, boolean used) {
    lock.lock();
    try {
      (used ? recycled : fresh).push(number);
    } finally {
      lock.unlock();
    }
  }

  void free(EngineContext ctx, int number) {
    int extent = SpaceMapLayout.extentOf(number);
    if (number <= 0
        || SpaceMapLayout.startsMap(extent) && number == SpaceMapLayout.firstPage(extent)) {
      throw new IllegalArgumentException("page " + number + " cannot be freed");
    }
    enter(ctx);
    try {
      load(ctx);
      logFree(ctx, number, extent);
      if (!unseen.get(extent)) {
        recycled.push(number); // otherwise looking through the extent will find it
      }
    } finally {
      lock.unlock();
    }
  }

  /** One MTR: the page gets type FREE, and its extent is no longer full. */
  private void logFree(EngineContext ctx, int number, int extent) {
    long pageId = PageId.of(space, number);
    long mapId = PageId.of(space, SpaceMapLayout.mapPage(extent));
    pool.pin(ctx, pageId);
    try (PageGuard page = new PageGuard()) {
      pool.pin(ctx, mapId);
      try {
        Mtr mtr = ctx.mtr();
        mtr.begin(SpaceRecords.FORMAT_BYTES + SpaceRecords.writeBytes(SpaceMapLayout.ENTRY_BYTES));
        pool.write(ctx, pageId, page);
        if (HeldPage.type(page) == PageType.FREE) {
          throw new IllegalStateException("page " + PageId.toString(pageId) + " is free already");
        }
        SpaceRecords.format(
            mtr, page, PageType.FREE, Memory.getInt(page.address() + PageLayout.GENERATION));
        pool.write(ctx, mapId, guard);
        if (state(extent) == SpaceMapLayout.FULL) {
          SpaceRecords.writeEntries(mtr, guard, extent, 1, node, SpaceMapLayout.TAKEN);
        }
        mtr.commit();
      } finally {
        guard.close();
        ctx.mtr().abandon();
        pool.unpin(mapId);
      }
    } finally {
      pool.unpin(pageId);
    }
  }

  private int state(int extent) {
    return Memory.getUnsignedByte(
        guard.address() + SpaceMapLayout.entry(extent) + SpaceMapLayout.ENTRY_STATE);
  }

  private int holder(int extent) {
    return Memory.getUnsignedByte(
        guard.address() + SpaceMapLayout.entry(extent) + SpaceMapLayout.ENTRY_NODE);
  }

  private void enter(EngineContext ctx) {
    assert ctx.latchesHeld() == 0 : "law 4: pages are reserved before any latch";
    assert !ctx.mtr().isOpen() : "pages are reserved before the MTR";
    if (!lock.tryLock()) {
      ctx.beforeWait();
      lock.lock();
    }
  }

  /** Reads the space's maps, once. */
  private void load(EngineContext ctx) {
    if (loaded) {
      return;
    }
    unseen.clear();
    int extent = 0;
    boolean more = true;
    while (more) {
      int mapEnd = extent + SpaceMapLayout.EXTENTS;
      try {
        pool.read(ctx, PageId.of(space, SpaceMapLayout.mapPage(extent)), guard);
        int type = HeldPage.type(guard);
        if (type != PageType.SPACE_MAP && (extent == 0 || type != PageType.FREE)) {
          throw new GaussException(
              SqlState.DATA_CORRUPTED,
              "page "
                  + PageId.toString(guard.pageId())
                  + " is no space map but "
                  + PageType.name(type));
        }
        more = type == PageType.SPACE_MAP;
        while (more && extent < mapEnd && state(extent) != SpaceMapLayout.FREE) {
          if (state(extent) == SpaceMapLayout.TAKEN && holder(extent) == node) {
            unseen.set(extent);
          }
          extent++;
        }
      } finally {
        guard.close();
      }
      more &= extent == mapEnd;
    }
    nextExtent = extent;
    loaded = true;
  }

  private void grow(EngineContext ctx) {
    // Bounded, so that a space with many full extents grows without reading them all first.
    for (int i = 0; i < LOOKS_PER_GROWTH && !unseen.isEmpty(); i++) {
      int old = unseen.length() - 1;
      boolean found = lookThrough(ctx, old);
      unseen.clear(old);
      if (found) {
        return;
      }
    }
    takeRun(ctx);
  }

  /**
   * Finds the unused pages of an extent that was taken before the restart; notes when there are
   * none.
   */
  private boolean lookThrough(EngineContext ctx, int extent) {
    int first = SpaceMapLayout.firstPage(extent);
    int from = SpaceMapLayout.startsMap(extent) ? first + 1 : first;
    int to = first + SpaceMapLayout.EXTENT_PAGES;
    NumberStack never = new NumberStack();
    NumberStack freed = new NumberStack();
    for (int number = to - 1; number >= from; number--) {
      try {
        pool.read(ctx, PageId.of(space, number), guard);
        if (Memory.getLong(guard.address() + PageLayout.LSN) == 0) {
          never.push(number);
        } else if (HeldPage.type(guard) == PageType.FREE) {
          freed.push(number);
        }
      } finally {
        guard.close();
      }
    }
    if (never.isEmpty() && freed.isEmpty()) {
      markFull(ctx, extent);
      return false;
    }
    recycled.pushAll(freed);
    fresh.pushAll(never);
    return true;
  }

  private void markFull(EngineContext ctx, int extent) {
    long mapId = PageId.of(space, SpaceMapLayout.mapPage(extent));
    pool.pin(ctx, mapId);
    try {
      ctx.mtr().begin(SpaceRecords.writeBytes(SpaceMapLayout.ENTRY_BYTES));
      pool.write(ctx, mapId, guard);
      SpaceRecords.writeEntries(ctx.mtr(), guard, extent, 1, node, SpaceMapLayout.FULL);
      ctx.mtr().commit();
    } finally {
      guard.close();
      ctx.mtr().abandon();
      pool.unpin(mapId);
    }
  }

  private void takeRun(EngineContext ctx) {
    if (nextExtent >= MAX_EXTENTS) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED, "space " + space + " cannot grow beyond 16 TB");
    }
    int first = nextExtent;
    int mapEnd = (first / SpaceMapLayout.EXTENTS + 1) * SpaceMapLayout.EXTENTS;
    int count = Math.min(Math.clamp(first / 8, 1, MAX_RUN), mapEnd - first);
    boolean newMap = SpaceMapLayout.startsMap(first);
    long mapId = PageId.of(space, SpaceMapLayout.mapPage(first));
    if (newMap) {
      pool.pinFresh(ctx, mapId);
    } else {
      pool.pin(ctx, mapId);
    }
    try {
      Mtr mtr = ctx.mtr();
      mtr.begin(SpaceRecords.formatMapBytes(count));
      pool.write(ctx, mapId, guard);
      if (newMap) {
        SpaceRecords.formatMap(mtr, guard, first, count, node, SpaceMapLayout.TAKEN);
      } else {
        SpaceRecords.writeEntries(mtr, guard, first, count, node, SpaceMapLayout.TAKEN);
      }
      mtr.commit();
    } finally {
      guard.close();
      ctx.mtr().abandon();
      pool.unpin(mapId);
    }
    next = SpaceMapLayout.firstPage(first) + (newMap ? 1 : 0);
    end = SpaceMapLayout.firstPage(first + count);
    nextExtent = first + count;
  }
}
