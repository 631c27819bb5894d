package io.gauss.compute.space;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.buffer.RetainedPages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.collections.IntArrayList;

/**
 * Hands out page numbers of one space from the extents that this node holds.
 *
 * <p>Only extents are logged. Within them the pages themselves are authoritative: a page that was
 * never written or has type FREE is unused. The state in memory is a cache of that, so reserving
 * and giving back write nothing, and a crash loses no page for good: after a restart the extents
 * that were not known to be full are searched, a few each time the space is about to grow.
 *
 * <p>Among several nodes each extent is held by one, which alone hands out its pages, including
 * those that others have freed: these count them in the extent's entry, and the holder searches the
 * extent again before it takes new extents. The map is an ordinary page, changed for a run of
 * extents or for a freed page. The pages that a node had in reserve when it died are found again by
 * its recoverer, which becomes the holder of its extents ({@link #adopt}).
 *
 * <p>Order of choice: pages freed here, pages given back, the rest of the current run of extents,
 * unused pages of an older extent, a new run. Runs grow with the space up to {@link #MAX_RUN}
 * extents, so that big spaces rarely write their map.
 *
 * <p>Thread-safe by one lock, under which growing may wait for the log and for pages of this
 * space's maps (no latch is held and no page retained then). Lock order: this lock, then retained
 * pages, then latches.
 */
final class SpaceAllocator {
  private static final int MAX_RUN = 8;
  private static final int LOOKS_PER_GROWTH = 4;

  /** Entries of a dead node's extents that are changed at once. */
  private static final int ADOPTED_AT_ONCE = 64;

  /**
   * Number of fresh pages requested before they are needed, since their homes have to know of them.
   */
  private static final int CLAIMED_AHEAD = 3;

  private static final int MAX_EXTENTS = Integer.MAX_VALUE / SpaceMapLayout.EXTENT_PAGES - MAX_RUN;

  private final BufferPool pool;
  private final int space;
  private final int node;
  private final ReentrantLock lock = new ReentrantLock();
  private final PageGuard guard = new PageGuard();

  private final IntArrayList recycled = new IntArrayList(); // of type FREE
  private final IntArrayList fresh = new IntArrayList(); // never written
  private int next; // the current run
  private int end;
  private int claimed; // fresh pages before this one are requested
  private int nextExtent;
  private final BitSet own = new BitSet(); // extents that this node holds
  private final BitSet full = new BitSet(); // those of them that the map calls full
  private final BitSet unseen = new BitSet(); // those that may have unknown unused pages
  private final BitSet later = new BitSet(); // as unseen, but a page was in use during the search
  private final Set<Integer> underWay = new HashSet<>(); // chosen, not pinned yet; of shared pools
  private int nextMap; // the next map to check for pages that others have freed
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
    own.set(0, extents);
    loaded = true;
  }

  int reserve(EngineContext ctx) {
    enter(ctx);
    int number;
    int claimFrom = 0;
    int claimTo = 0;
    boolean used;
    try {
      load(ctx);
      if (recycled.isEmpty() && fresh.isEmpty() && next == end) {
        grow(ctx);
      }
      used = !recycled.isEmpty();
      number = used ? recycled.popInt() : !fresh.isEmpty() ? fresh.popInt() : next++;
      if (pool.isShared()) {
        underWay.add(number);
        claimFrom = Math.max(next, claimed);
        claimTo = Math.min(next + CLAIMED_AHEAD, end);
        claimed = Math.max(claimed, claimTo);
      }
    } finally {
      lock.unlock();
    }
    for (int page = claimFrom; page < claimTo; page++) {
      pool.claimFresh(PageId.of(space, page));
    }
    boolean pinned = false;
    try {
      if (used) {
        pool.pinToWrite(ctx, PageId.of(space, number));
      } else {
        pool.pinFresh(ctx, PageId.of(space, number));
      }
      pinned = true;
    } finally {
      if (!pinned) {
        giveBack(number, used);
      } else if (pool.isShared()) {
        arrived(number);
      }
    }
    return number;
  }

  /** From now on the pin shows that the page is reserved. */
  private void arrived(int number) {
    lock.lock();
    try {
      underWay.remove(number);
    } finally {
      lock.unlock();
    }
  }

  void unreserve(int number) {
    lock.lock();
    try {
      boolean used = pool.dropFresh(PageId.of(space, number));
      (used ? recycled : fresh).pushInt(number);
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(int number, boolean used) {
    lock.lock();
    try {
      underWay.remove(number);
      (used ? recycled : fresh).pushInt(number);
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
      if (own.get(extent) && !unseen.get(extent)) {
        recycled.pushInt(number); // otherwise the next search of the extent finds it
      }
    } finally {
      lock.unlock();
    }
  }

  private void logFree(EngineContext ctx, int number, int extent) {
    long pageId = PageId.of(space, number);
    long mapId = PageId.of(space, SpaceMapLayout.mapPage(extent));
    boolean isInMap = full.get(extent) || !own.get(extent);
    boolean contended = false;
    boolean done = false;
    while (!done) {
      pool.pinToWrite(ctx, pageId);
      try {
        if (isInMap) {
          freeWithMap(ctx, pageId, mapId, extent, contended);
        } else {
          freeAlone(ctx, pageId);
        }
        done = true;
      } catch (PageAwayException e) {
        contended = true;
      } finally {
        pool.unpin(pageId);
      }
    }
    full.clear(extent);
  }

  /** The page gets type FREE; its extent is known not to be full. */
  private void freeAlone(EngineContext ctx, long pageId) {
    try (PageGuard page = new PageGuard()) {
      ctx.mtr().begin(SpaceRecords.FORMAT_BYTES);
      pool.write(ctx, pageId, page);
      formatFree(ctx, page);
      ctx.mtr().commit();
    } finally {
      ctx.mtr().abandon();
    }
  }

  /**
   * One MTR: the page gets type FREE, and its extent is no longer full, or its holder can see that
   * it has a freed page.
   *
   * @param contended whether both pages are retained from other nodes
   */
  private void freeWithMap(
      EngineContext ctx, long pageId, long mapId, int extent, boolean contended) {
    pool.pinToWrite(ctx, mapId);
    RetainedPages retained = null;
    try (PageGuard page = new PageGuard()) {
      Mtr mtr = ctx.mtr();
      mtr.begin(SpaceRecords.FORMAT_BYTES + SpaceRecords.writeBytes(SpaceMapLayout.ENTRY_BYTES));
      if (contended) {
        retained = new RetainedPages(pool, ctx, mapId, pageId);
        pool.writeKept(ctx, pageId, page);
      } else {
        pool.write(ctx, pageId, page);
      }
      formatFree(ctx, page);
      pool.write(ctx, mapId, guard);
      int freed = own.get(extent) ? 0 : 1;
      if (freed != 0 || state(extent) == SpaceMapLayout.FULL) {
        int all = Math.min(freed(extent) + freed, SpaceMapLayout.FREED_MAX);
        SpaceRecords.writeEntry(mtr, guard, extent, holder(extent), SpaceMapLayout.TAKEN, all);
      }
      mtr.commit();
    } finally {
      guard.close();
      ctx.mtr().abandon();
      if (retained != null) {
        retained.close();
      }
      pool.unpin(mapId);
    }
  }

  private static void formatFree(EngineContext ctx, PageGuard page) {
    if (HeldPage.type(page) == PageType.FREE) {
      throw new IllegalStateException(
          "page " + PageId.toString(page.pageId()) + " is free already");
    }
    PageRecords.format(
        ctx.mtr(), page, PageType.FREE, Memory.getInt(page.address() + PageLayout.GENERATION));
  }

  private int state(int extent) {
    return Memory.getUnsignedByte(
        guard.address() + SpaceMapLayout.entry(extent) + SpaceMapLayout.ENTRY_STATE);
  }

  private int holder(int extent) {
    return Memory.getUnsignedByte(
        guard.address() + SpaceMapLayout.entry(extent) + SpaceMapLayout.ENTRY_NODE);
  }

  private int freed(int extent) {
    return Memory.getUnsignedShort(
        guard.address() + SpaceMapLayout.entry(extent) + SpaceMapLayout.ENTRY_FREED);
  }

  private void enter(EngineContext ctx) {
    Invariant.check(ctx.latchesHeld() == 0, "law 4: pages are reserved before any latch");
    Invariant.check(ctx.pagesRetained() == 0, "pages are reserved before any is retained");
    Invariant.check(!ctx.mtr().isOpen(), "pages are reserved before the MTR");
    if (!lock.tryLock()) {
      ctx.waits().beforeWait();
      lock.lock();
    }
  }

  /** Reads the space's maps, once. */
  private void load(EngineContext ctx) {
    if (loaded) {
      return;
    }
    unseen.clear();
    own.clear();
    full.clear();
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
          if (holder(extent) == node) {
            own.set(extent);
            (state(extent) == SpaceMapLayout.FULL ? full : unseen).set(extent);
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

  /**
   * Becomes the holder of the extents of a dead node, and will search them before it takes new
   * ones. That node does not come back before this has returned.
   *
   * @return the number of extents
   */
  int adopt(EngineContext ctx, int dead) {
    enter(ctx);
    try {
      load(ctx);
      int adopted = 0;
      int map = 0;
      BitSet found = heldBy(ctx, map, dead);
      while (found != null) {
        for (int from = found.nextSetBit(0); from >= 0; ) {
          int to = from;
          BitSet some = new BitSet();
          while (to >= 0 && some.cardinality() < ADOPTED_AT_ONCE) {
            some.set(to);
            to = found.nextSetBit(to + 1);
          }
          adopted += adopt(ctx, some);
          from = to;
        }
        map++;
        found = heldBy(ctx, map, dead);
      }
      return adopted;
    } finally {
      lock.unlock();
    }
  }

  /** The extents of a node in one map; null when there is no such map. */
  private BitSet heldBy(EngineContext ctx, int map, int holder) {
    int first = map * SpaceMapLayout.EXTENTS;
    if (first >= MAX_EXTENTS) {
      return null;
    }
    try {
      pool.read(ctx, PageId.of(space, SpaceMapLayout.mapPage(first)), guard);
      if (HeldPage.type(guard) != PageType.SPACE_MAP) {
        return null;
      }
      BitSet found = new BitSet();
      for (int extent = first; extent < first + SpaceMapLayout.EXTENTS; extent++) {
        found.set(extent, state(extent) != SpaceMapLayout.FREE && holder(extent) == holder);
      }
      return found;
    } finally {
      guard.close();
    }
  }

  private int adopt(EngineContext ctx, BitSet extents) {
    long mapId = PageId.of(space, SpaceMapLayout.mapPage(extents.nextSetBit(0)));
    BitSet unused = new BitSet();
    try {
      Mtr mtr = ctx.mtr();
      mtr.begin(extents.cardinality() * SpaceRecords.writeBytes(SpaceMapLayout.ENTRY_BYTES));
      pool.write(ctx, mapId, guard);
      extents.stream()
          .forEach(
              extent -> {
                boolean isFull = state(extent) == SpaceMapLayout.FULL && freed(extent) == 0;
                int state = isFull ? SpaceMapLayout.FULL : SpaceMapLayout.TAKEN;
                unused.set(extent, !isFull);
                SpaceRecords.writeEntry(mtr, guard, extent, node, state, 0);
              });
      mtr.commit();
    } finally {
      guard.close();
      ctx.mtr().abandon();
    }
    own.or(extents);
    full.or(extents);
    full.andNot(unused);
    unseen.or(unused);
    nextExtent = Math.max(nextExtent, extents.length());
    return extents.cardinality();
  }

  private void grow(EngineContext ctx) {
    if (!lookThroughSome(ctx)) {
      boolean found = pool.isShared() && noteFreedByOthers(ctx) && lookThroughSome(ctx);
      if (!found) {
        takeRun(ctx);
      }
    }
  }

  /** Bounded, so that a space with many full extents grows without reading them all first. */
  private boolean lookThroughSome(EngineContext ctx) {
    for (int i = 0; i < LOOKS_PER_GROWTH && !unseen.isEmpty(); i++) {
      int old = unseen.length() - 1;
      boolean found = lookThrough(ctx, old);
      unseen.clear(old);
      if (found) {
        return true;
      }
    }
    return false;
  }

  /**
   * Notes this node's extents in one map in which others have freed pages; the next call checks
   * another map.
   */
  private boolean noteFreedByOthers(EngineContext ctx) {
    unseen.or(later);
    later.clear();
    int first = nextMap * SpaceMapLayout.EXTENTS;
    if (first >= nextExtent) {
      first = 0;
      nextMap = 0;
    }
    nextMap++;
    long mapId = PageId.of(space, SpaceMapLayout.mapPage(first));
    BitSet freed = new BitSet();
    try {
      pool.read(ctx, mapId, guard);
      int last = Math.min(first + SpaceMapLayout.EXTENTS, own.length());
      for (int extent = own.nextSetBit(first);
          extent >= 0 && extent < last;
          extent = own.nextSetBit(extent + 1)) {
        freed.set(extent, freed(extent) != 0);
      }
    } finally {
      guard.close();
    }
    freed.stream().limit(LOOKS_PER_GROWTH).forEach(extent -> resetFreed(ctx, mapId, extent));
    return !unseen.isEmpty();
  }

  /** Before the extent is searched, so that pages freed later are counted anew. */
  private void resetFreed(EngineContext ctx, long mapId, int extent) {
    try {
      ctx.mtr().begin(SpaceRecords.writeBytes(SpaceMapLayout.ENTRY_BYTES));
      pool.write(ctx, mapId, guard);
      SpaceRecords.writeEntry(ctx.mtr(), guard, extent, node, SpaceMapLayout.TAKEN, 0);
      ctx.mtr().commit();
      full.clear(extent);
      unseen.set(extent);
    } finally {
      guard.close();
      ctx.mtr().abandon();
    }
  }

  /**
   * Finds the unused pages of an extent that was taken before the restart, or in which others have
   * freed some; marks it full when there are none. No page of it is in reserve, since the search
   * happens only when none is left; pages that threads have got and not written yet are under way
   * or pinned.
   */
  private boolean lookThrough(EngineContext ctx, int extent) {
    int first = SpaceMapLayout.firstPage(extent);
    int from = SpaceMapLayout.startsMap(extent) ? first + 1 : first;
    int to = first + SpaceMapLayout.EXTENT_PAGES;
    IntArrayList never = new IntArrayList();
    IntArrayList freed = new IntArrayList();
    for (int number = to - 1; number >= from; number--) {
      long pageId = PageId.of(space, number);
      if (pool.isShared() && (underWay.contains(number) || pool.isPinned(pageId))) {
        later.set(extent);
        continue;
      }
      try {
        pool.read(ctx, pageId, guard);
        if (Memory.getLong(guard.address() + PageLayout.LSN) == 0) {
          never.pushInt(number);
        } else if (HeldPage.type(guard) == PageType.FREE) {
          freed.pushInt(number);
        }
      } finally {
        guard.close();
      }
    }
    if (never.isEmpty() && freed.isEmpty()) {
      if (!later.get(extent)) {
        markFull(ctx, extent);
      }
      return false;
    }
    recycled.addAll(freed);
    fresh.addAll(never);
    return true;
  }

  /** Does so unless others have freed pages since. */
  private void markFull(EngineContext ctx, int extent) {
    long mapId = PageId.of(space, SpaceMapLayout.mapPage(extent));
    try {
      ctx.mtr().begin(SpaceRecords.writeBytes(SpaceMapLayout.ENTRY_BYTES));
      pool.write(ctx, mapId, guard);
      if (freed(extent) == 0) {
        SpaceRecords.writeEntry(ctx.mtr(), guard, extent, node, SpaceMapLayout.FULL, 0);
        ctx.mtr().commit();
        full.set(extent);
      }
    } finally {
      guard.close();
      ctx.mtr().abandon();
    }
  }

  private void takeRun(EngineContext ctx) {
    boolean taken = false;
    while (!taken) {
      if (nextExtent >= MAX_EXTENTS) {
        throw new GaussException(
            SqlState.PROGRAM_LIMIT_EXCEEDED, "space " + space + " cannot grow beyond 16 TB");
      }
      taken = takeRunOfMap(ctx);
    }
  }

  /** False when other nodes have taken the rest of the extents of this map. */
  private boolean takeRunOfMap(EngineContext ctx) {
    int mapStart = nextExtent / SpaceMapLayout.EXTENTS * SpaceMapLayout.EXTENTS;
    int mapEnd = mapStart + SpaceMapLayout.EXTENTS;
    long mapId = PageId.of(space, SpaceMapLayout.mapPage(mapStart));
    boolean mayBeNew = SpaceMapLayout.startsMap(nextExtent);
    // Among several nodes another one may have created it.
    boolean isFresh = mayBeNew && !pool.isShared();
    if (isFresh) {
      pool.pinFresh(ctx, mapId);
    } else {
      pool.pinToWrite(ctx, mapId);
    }
    try {
      Mtr mtr = ctx.mtr();
      mtr.begin(SpaceRecords.formatMapBytes(MAX_RUN));
      pool.write(ctx, mapId, guard);
      boolean isNew = mayBeNew && HeldPage.type(guard) != PageType.SPACE_MAP;
      int first = nextExtent;
      while (!isNew && first < mapEnd && state(first) != SpaceMapLayout.FREE) {
        first++;
      }
      nextExtent = first;
      if (first == mapEnd) {
        return false;
      }
      int count = Math.min(Math.clamp(first / 8, 1, MAX_RUN), mapEnd - first);
      if (isNew) {
        SpaceRecords.formatMap(mtr, guard, first, count, node, SpaceMapLayout.TAKEN);
      } else {
        SpaceRecords.writeEntries(mtr, guard, first, count, node, SpaceMapLayout.TAKEN);
      }
      mtr.commit();
      own.set(first, first + count);
      next = SpaceMapLayout.firstPage(first) + (SpaceMapLayout.startsMap(first) ? 1 : 0);
      end = SpaceMapLayout.firstPage(first + count);
      nextExtent = first + count;
      return true;
    } finally {
      guard.close();
      ctx.mtr().abandon();
      pool.unpin(mapId);
    }
  }
}
