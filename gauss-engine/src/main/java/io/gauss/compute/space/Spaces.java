package io.gauss.compute.space;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.SpaceDirectoryLayout;
import io.gauss.common.page.UndoSpaces;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.buffer.RetainedPages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Creates and drops spaces and hands out fresh pages of them.
 *
 * <p>The space directory in the system space records which spaces exist, each space's map which
 * extents are taken; both change only through redo. See {@link SpaceAllocator} for the state that
 * is kept only in memory.
 *
 * <p>Other nodes also create and drop spaces: the directory in memory is a cache, into which a
 * space comes when it is first used. A space that another node has dropped stays in it until {@link
 * #exists(EngineContext, int)} asks; the node that drops a space has made sure that it is not in
 * use.
 *
 * <p>Thread-safe. Lock order: directory lock, a space's lock, retained pages, latches (the page in
 * question, then map or directory page).
 */
public final class Spaces {
  private final BufferPool pool;
  private final int node;
  private final MetaPage meta;
  private final ConcurrentHashMap<Integer, SpaceAllocator> spaces = new ConcurrentHashMap<>();
  private final ReentrantLock directoryLock = new ReentrantLock();
  private final DroppedSpaces dropped = new DroppedSpaces(this);
  private int nextSpace; // under directoryLock

  /**
   * Call {@link #open} before anything else.
   *
   * @param node number of this compute node, under which it takes extents
   */
  public Spaces(BufferPool pool, int node) {
    this.pool = pool;
    this.node = node;
    this.meta = new MetaPage(pool);
  }

  /**
   * Reads the directory, or creates the system space when the database is new, and this node's undo
   * space.
   */
  public void open(EngineContext ctx) {
    if (!meta.exists(ctx)) {
      bootstrap(ctx);
    }
    loadDirectory(ctx);
    ensure(ctx, UndoSpaces.of(node));
  }

  public MetaPage meta() {
    return meta;
  }

  /** The dropped spaces that may still be in use. */
  public DroppedSpaces dropped() {
    return dropped;
  }

  /** Numbers of the spaces that {@link #create} returned and that are not dropped. */
  public List<Integer> userSpaces() {
    return spaces.keySet().stream()
        .filter(space -> space >= SystemSpaces.FIRST_USER)
        .sorted()
        .toList();
  }

  /** Numbers of the spaces that exist now, ascending. */
  public int[] existing() {
    return spaces.keySet().stream().mapToInt(Integer::intValue).sorted().toArray();
  }

  /**
   * Numbers of the spaces that {@link #create} returned, on whichever node, and that are not
   * dropped. May wait.
   */
  public List<Integer> userSpaces(EngineContext ctx) {
    return pool.isShared()
        ? existing(ctx).stream().filter(space -> space >= SystemSpaces.FIRST_USER).toList()
        : userSpaces();
  }

  private List<Integer> existing(EngineContext ctx) {
    List<Integer> existing = new ArrayList<>();
    for (int first = 0; first <= SpaceDirectoryLayout.MAX_SPACE; ) {
      try (PageGuard directory = new PageGuard()) {
        pool.read(ctx, directoryId(first), directory);
        if (HeldPage.type(directory) != PageType.SPACE_DIRECTORY) {
          return existing;
        }
        int end = first + SpaceDirectoryLayout.SPACES;
        for (int space = first; space < end; space++) {
          int state = state(directory, space);
          if (state == SpaceDirectoryLayout.EXISTS) {
            existing.add(space);
          } else if (state == SpaceDirectoryLayout.DROPPED) {
            dropped.add(space, PageView.lsn(directory.address())); // by whom may be dead
          }
        }
        first = end;
      }
    }
    return existing;
  }

  /**
   * The node that created the space, or has recovered that node since: it holds the first extent.
   */
  public int maker(EngineContext ctx, int space) {
    try (PageGuard map = new PageGuard()) {
      pool.read(ctx, PageId.of(space, 0), map);
      return Memory.getUnsignedByte(
          map.address() + SpaceMapLayout.entry(0) + SpaceMapLayout.ENTRY_NODE);
    }
  }

  /**
   * Becomes the holder of all extents of a node that is dead and recovered, so that its reserved
   * pages are found again. Its undo space is not taken over. That node does not come back before
   * this has returned. May wait.
   *
   * @return the number of extents
   */
  public int adopt(EngineContext ctx, int dead) {
    int adopted = 0;
    for (int space : existing(ctx)) {
      if (space != SystemSpaces.SYSTEM && !UndoSpaces.contains(space) && exists(ctx, space)) {
        adopted += allocator(ctx, space).adopt(ctx, dead);
      }
    }
    return adopted;
  }

  /** Whether the space exists, as far as this node knows. */
  public boolean exists(int space) {
    return spaces.containsKey(space);
  }

  /** Whether the space exists now, on whichever node it was created or dropped. May wait. */
  public boolean exists(EngineContext ctx, int space) {
    if (!pool.isShared()) {
      return exists(space);
    }
    int state = state(ctx, space);
    if (state == SpaceDirectoryLayout.EXISTS) {
      spaces.computeIfAbsent(space, s -> new SpaceAllocator(pool, s, node));
      return true;
    }
    if (spaces.remove(space) != null) {
      pool.forgetSpace(space);
    }
    return false;
  }

  private int state(EngineContext ctx, int space) {
    if (space > SpaceDirectoryLayout.MAX_SPACE) {
      return SpaceDirectoryLayout.UNUSED;
    }
    try (PageGuard directory = new PageGuard()) {
      pool.read(ctx, directoryId(space), directory);
      return state(directory, space);
    }
  }

  private static int state(PageGuard directory, int space) {
    return SpaceDirectoryLayout.state(directory.address(), space);
  }

  private static long directoryId(int space) {
    return SpaceDirectoryLayout.pageId(space);
  }

  /**
   * Creates a space (its page 0 map and first extent) and returns its number. The first page that
   * {@link #reserve} returns is page 1. Durable with the caller's log position.
   */
  public int create(EngineContext ctx) {
    lockDirectory(ctx);
    try {
      int space = Math.max(nextSpace, SystemSpaces.FIRST_USER);
      boolean created = false;
      while (!created) {
        space = firstUnused(ctx, space);
        created = createAt(ctx, space); // false if another node was faster
      }
      nextSpace = space + 1;
      return space;
    } finally {
      directoryLock.unlock();
    }
  }

  private int firstUnused(EngineContext ctx, int from) {
    int space = from;
    while (pool.isShared()
        && space <= SpaceDirectoryLayout.MAX_SPACE
        && state(ctx, space) != SpaceDirectoryLayout.UNUSED) {
      space++;
    }
    if (space > SpaceDirectoryLayout.MAX_SPACE) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED,
          "no space number is left: " + SpaceDirectoryLayout.MAX_SPACE + " were given out");
    }
    return space;
  }

  /**
   * Creates a space under one of the fixed numbers of {@link SystemSpaces}, unless it exists;
   * returns whether it is new.
   */
  public boolean ensure(EngineContext ctx, int space) {
    if (space <= 0 || space >= SystemSpaces.FIRST_USER) {
      throw new IllegalArgumentException("space " + space + " has no fixed number");
    }
    lockDirectory(ctx);
    try {
      return !exists(ctx, space) && createAt(ctx, space);
    } finally {
      directoryLock.unlock();
    }
  }

  /**
   * Forgets a space: its pages are never read again. The caller has made sure that it is not in
   * use. No effect when another node has dropped it already.
   */
  public void drop(EngineContext ctx, int space) {
    lockDirectory(ctx);
    try {
      if (pool.isShared() && !exists(ctx, space)) {
        return;
      }
      allocator(ctx, space);
      long lsn = change(ctx, space, SpaceDirectoryLayout.EXISTS, SpaceDirectoryLayout.DROPPED);
      if (lsn != Lsn.NONE) {
        dropped.add(space, lsn);
      }
      spaces.remove(space);
    } finally {
      directoryLock.unlock();
    }
    pool.forgetSpace(space);
  }

  /** Nothing uses a dropped space any more: from now on page stores delete its pages. May wait. */
  void unneeded(EngineContext ctx, int space) {
    lockDirectory(ctx);
    try {
      change(ctx, space, SpaceDirectoryLayout.DROPPED, SpaceDirectoryLayout.UNNEEDED);
    } finally {
      directoryLock.unlock();
    }
    pool.forgetSpace(space);
  }

  /**
   * Reserves a page of a space: its frame is pinned, so that a later {@code pool.write} of it
   * neither waits nor fails. A page that was never used is zero; one that was freed before has type
   * FREE and keeps its LSN and generation, and is to be formatted with the next generation. May
   * wait now; no latch may be held and no MTR may be open. A page that was not used is given back
   * with {@link #unreserve}; one that was used is unpinned.
   *
   * @return page number in the space
   */
  public int reserve(EngineContext ctx, int space) {
    return allocator(ctx, space).reserve(ctx);
  }

  /**
   * Gives back a page that was reserved and not written; unpins it. Writes nothing, never waits.
   */
  public void unreserve(EngineContext ctx, int space, int pageNumber) {
    allocator(ctx, space).unreserve(pageNumber);
  }

  /**
   * Gives back a page that was unlinked and that no snapshot, scan or reader can reach any more.
   * Uses a separate MTR; may wait.
   */
  public void free(EngineContext ctx, int space, int pageNumber) {
    allocator(ctx, space).free(ctx, pageNumber);
  }

  private SpaceAllocator allocator(EngineContext ctx, int space) {
    SpaceAllocator allocator = spaces.get(space);
    if (allocator == null && pool.isShared() && exists(ctx, space)) {
      allocator = spaces.get(space);
    }
    if (allocator == null) {
      throw new IllegalStateException("space " + space + " does not exist");
    }
    return allocator;
  }

  private void lockDirectory(EngineContext ctx) {
    Invariant.check(
        ctx.latchesHeld() == 0, "law 4: spaces are created and dropped with no latch held");
    Invariant.check(ctx.pagesRetained() == 0, "no lock is waited for while pages are retained");
    if (!directoryLock.tryLock()) {
      ctx.waits().beforeWait();
      directoryLock.lock();
    }
  }

  /** Founds the database, unless another node that started at the same time has done it. */
  private void bootstrap(EngineContext ctx) {
    long mapId = PageId.of(SystemSpaces.SYSTEM, 0);
    long metaId = PageId.of(SystemSpaces.SYSTEM, SystemSpaces.META_PAGE);
    long directoryId = PageId.of(SystemSpaces.SYSTEM, SpaceDirectoryLayout.FIRST_PAGE);
    pinNew(ctx, mapId);
    pinNew(ctx, metaId);
    pinNew(ctx, directoryId);
    try {
      boolean contended = false;
      boolean done = false;
      while (!done) {
        try {
          logBootstrap(ctx, mapId, metaId, directoryId, contended);
          done = true;
        } catch (PageAwayException e) {
          contended = true;
        }
      }
    } finally {
      pool.unpin(mapId);
      pool.unpin(metaId);
      pool.unpin(directoryId);
    }
  }

  /**
   * One MTR: the system space's map, the meta page and the directory's first page, which are
   * pinned.
   *
   * @param contended whether they are to be retained from other nodes
   */
  private void logBootstrap(
      EngineContext ctx, long mapId, long metaId, long directoryId, boolean contended) {
    Mtr mtr = ctx.mtr();
    mtr.begin(1000);
    RetainedPages retained = null;
    try (PageGuard map = new PageGuard();
        PageGuard directory = new PageGuard();
        PageGuard metaGuard = new PageGuard()) {
      if (contended) {
        retained = new RetainedPages(pool, ctx, mapId, metaId, directoryId);
        pool.writeKept(ctx, mapId, map);
      } else {
        pool.write(ctx, mapId, map);
      }
      pool.write(ctx, metaId, metaGuard);
      pool.write(ctx, directoryId, directory);
      if (HeldPage.type(metaGuard) == PageType.META) {
        return; // what the other node has entered into the directory since must stay there
      }
      SpaceRecords.formatMap(mtr, map, 0, SpaceDirectoryLayout.EXTENTS, node, SpaceMapLayout.FULL);
      meta.format(mtr, metaGuard);
      SpaceRecords.format(mtr, directory, PageType.SPACE_DIRECTORY);
      PageRecords.writeByte(
          mtr,
          directory,
          SpaceDirectoryLayout.entry(SystemSpaces.SYSTEM),
          SpaceDirectoryLayout.EXISTS);
      mtr.commit();
    } finally {
      mtr.abandon();
      if (retained != null) {
        retained.close();
      }
    }
  }

  private void loadDirectory(EngineContext ctx) {
    boolean more = true;
    for (int i = 0; more && i < SpaceDirectoryLayout.PAGES; i++) {
      more = loadDirectoryPage(ctx, i);
    }
    if (!exists(SystemSpaces.SYSTEM)) {
      throw new GaussException(SqlState.DATA_CORRUPTED, "the space directory has no system space");
    }
  }

  /** False when the directory ends before this page. */
  private boolean loadDirectoryPage(EngineContext ctx, int index) {
    int first = index * SpaceDirectoryLayout.SPACES;
    try (PageGuard guard = new PageGuard()) {
      pool.read(
          ctx, PageId.of(SystemSpaces.SYSTEM, SpaceDirectoryLayout.FIRST_PAGE + index), guard);
      if (HeldPage.type(guard) != PageType.SPACE_DIRECTORY) {
        return false;
      }
      for (int space = first; space < first + SpaceDirectoryLayout.SPACES; space++) {
        int state = state(guard, space);
        if (state == SpaceDirectoryLayout.EXISTS) {
          spaces.put(space, new SpaceAllocator(pool, space, node));
        } else if (state == SpaceDirectoryLayout.DROPPED) {
          dropped.add(space, PageView.lsn(guard.address()));
        }
        if (state != SpaceDirectoryLayout.UNUSED) {
          nextSpace = space + 1;
        }
      }
      return true;
    }
  }

  /**
   * One MTR: the new space's map with its first extent, and its entry in the directory. False when
   * another node has created it meanwhile.
   */
  private boolean createAt(EngineContext ctx, int space) {
    long mapId = PageId.of(space, 0);
    boolean created;
    pinNew(ctx, mapId);
    try {
      created = create(ctx, space, mapId);
    } finally {
      pool.unpin(mapId);
    }
    SpaceAllocator allocator = new SpaceAllocator(pool, space, node);
    if (created) {
      allocator.startNew(1, 1);
    }
    spaces.putIfAbsent(space, allocator);
    return created;
  }

  /** Pins a page that nothing has been written to, unless another node is doing that just now. */
  private void pinNew(EngineContext ctx, long pageId) {
    if (pool.isShared()) {
      pool.pinToWrite(ctx, pageId);
    } else {
      pool.pinFresh(ctx, pageId);
    }
  }

  private boolean create(EngineContext ctx, int space, long mapId) {
    long directoryId = directoryId(space);
    boolean contended = false;
    while (true) {
      pool.pinToWrite(ctx, directoryId);
      try {
        return logCreation(ctx, space, mapId, directoryId, contended);
      } catch (PageAwayException e) {
        contended = true;
      } finally {
        pool.unpin(directoryId);
      }
    }
  }

  /**
   * @param contended whether both pages are retained from other nodes
   */
  private boolean logCreation(
      EngineContext ctx, int space, long mapId, long directoryId, boolean contended) {
    Mtr mtr = ctx.mtr();
    mtr.begin(
        SpaceRecords.formatMapBytes(1) + SpaceRecords.FORMAT_BYTES + SpaceRecords.writeBytes(1));
    RetainedPages retained = null;
    try (PageGuard map = new PageGuard();
        PageGuard directory = new PageGuard()) {
      if (contended) {
        retained = new RetainedPages(pool, ctx, mapId, directoryId);
        pool.writeKept(ctx, mapId, map);
      } else {
        pool.write(ctx, mapId, map);
      }
      pool.write(ctx, directoryId, directory);
      boolean isNewPage = Memory.getLong(directory.address() + PageLayout.LSN) == 0;
      if (!isNewPage && state(directory, space) != SpaceDirectoryLayout.UNUSED) {
        return false;
      }
      SpaceRecords.formatMap(mtr, map, 0, 1, node, SpaceMapLayout.TAKEN);
      if (isNewPage) {
        SpaceRecords.format(mtr, directory, PageType.SPACE_DIRECTORY);
      }
      PageRecords.writeByte(
          mtr, directory, SpaceDirectoryLayout.entry(space), SpaceDirectoryLayout.EXISTS);
      mtr.commit();
      return true;
    } finally {
      mtr.abandon();
      if (retained != null) {
        retained.close();
      }
    }
  }

  /**
   * Changes a space's state, unless another node has done so already.
   *
   * @return LSN of the change; 0 when there was none
   */
  private long change(EngineContext ctx, int space, int from, int to) {
    long directoryId = directoryId(space);
    pool.pinToWrite(ctx, directoryId);
    try (PageGuard directory = new PageGuard()) {
      ctx.mtr().begin(SpaceRecords.writeBytes(1));
      try {
        pool.write(ctx, directoryId, directory);
        if (state(directory, space) != from) {
          return Lsn.NONE;
        }
        PageRecords.writeByte(ctx.mtr(), directory, SpaceDirectoryLayout.entry(space), to);
        return ctx.mtr().commit();
      } finally {
        ctx.mtr().abandon();
      }
    } finally {
      pool.unpin(directoryId);
    }
  }
}
