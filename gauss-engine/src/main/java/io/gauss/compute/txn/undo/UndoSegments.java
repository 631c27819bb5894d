package io.gauss.compute.txn.undo;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.PageId;
import io.gauss.common.id.Xid;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.UndoDirectoryLayout;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoSegmentLayout;
import io.gauss.common.page.UndoSpaces;
import io.gauss.common.page.UndoTableLayout;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.buffer.RetainedPages;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;
import io.gauss.compute.space.Spaces;
import io.gauss.compute.txn.base.TransactionMetrics;
import io.gauss.compute.txn.base.TransactionSettings;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * All undo segments of a compute slot: found by number, handed out to transactions last-in
 * first-out, so that few of them stay in use and in the buffer, and created on demand. They are in
 * a separate space together with their directory, so no other node has to be asked for one, and a
 * node that takes over from a dead one finds all of them there.
 *
 * <p>The free list is lock-free: the head is (change count, segment) in one long. Creating a
 * segment takes a lock and may wait for pages.
 */
public final class UndoSegments {
  static final int MAX_SEGMENTS = Xid.MAX_INDEX;

  private static final VarHandle SEGMENT = MethodHandles.arrayElementVarHandle(UndoSegment[].class);
  private static final VarHandle NEXT = MethodHandles.arrayElementVarHandle(int[].class);
  private static final int NOBODY = 0;
  private static final int FORMAT_TRIES = 64;

  /** How many free segments are checked to find one whose undo page no other node reads. */
  private static final int LOOKS = 8;

  /** No more than this many are created because of readers. */
  private static final int MOST_FOR_READERS = 16;

  private final BufferPool pool;
  private final Spaces spaces;
  private final int slot;
  private final int space;
  private final LamportClock clock;
  private final LogBuffer log;
  private final PurgeHorizon horizon;
  private final TransactionSettings settings;
  private final TransactionMetrics metrics;
  private final LongSupplier nanoClock;

  private final UndoSegment[] segments = new UndoSegment[MAX_SEGMENTS + 1];
  private final int[] nextFree = new int[MAX_SEGMENTS + 1];
  private final AtomicLong freeHead = new AtomicLong();
  private final ReentrantLock growth = new ReentrantLock();
  private volatile int count;
  private int[] directoryPages = new int[0];
  private final PurgeList purgeList = new PurgeList(this);

  public UndoSegments(
      BufferPool pool,
      Spaces spaces,
      int slot,
      LogBuffer log,
      PurgeHorizon horizon,
      TransactionSettings settings,
      TransactionMetrics metrics,
      LongSupplier nanoClock) {
    this.pool = pool;
    this.spaces = spaces;
    this.slot = slot;
    this.space = UndoSpaces.of(slot);
    this.clock = log.clock();
    this.log = log;
    this.horizon = horizon;
    this.settings = settings;
    this.metrics = metrics;
    this.nanoClock = nanoClock;
  }

  /**
   * Creates the first directory page of a fresh undo space; no effect when it exists. A crash
   * before that may have left the allocator with other pages first, which are given back.
   */
  public void format(EngineContext ctx) {
    try (PageGuard root = new PageGuard()) {
      pool.read(ctx, id(UndoDirectoryLayout.ROOT), root);
      if (PageView.lsn(root.address()) != 0) {
        return;
      }
    }
    int[] others = new int[FORMAT_TRIES];
    int otherCount = 0;
    try {
      int page = reserve(ctx);
      while (page != UndoDirectoryLayout.ROOT) {
        if (otherCount == FORMAT_TRIES) {
          unreserve(ctx, page);
          throw new IllegalStateException("the undo space is in use, but has no directory");
        }
        others[otherCount++] = page;
        page = reserve(ctx);
      }
      logDirectoryPage(ctx, page, 0, 1);
      pool.unpin(id(page));
    } finally {
      for (int i = 0; i < otherCount; i++) {
        unreserve(ctx, others[i]);
      }
    }
  }

  public int slot() {
    return slot;
  }

  /** The segment, or null when there is none of this number in this slot. */
  public UndoSegment get(int number) {
    return (UndoSegment) SEGMENT.getAcquire(segments, number);
  }

  /**
   * Of segments that were found by recovery and are not written here: whether the transaction is of
   * a life of the slot's node before that, and not of one that comes after it.
   */
  boolean mayHave(long xid) {
    UndoSegment segment = get(Xid.index(xid));
    return segment != null && Xid.sequence(xid) < segment.nextLife();
  }

  /** Segments have the numbers 1 to this. */
  public int count() {
    return count;
  }

  /**
   * A segment that no transaction has; the free one used last, or a new one. May wait.
   *
   * <p>A segment whose undo page other nodes read is skipped for now: they would have to drop their
   * copies first, and a node that hangs would delay this node's transactions.
   *
   * <p>A new segment is durable when this returns, and so is the first table page since a restart.
   * A client or another node may learn of a transaction's number at once, and if a crash took the
   * page back, the next life of the node would begin with the same sequences: they would name other
   * transactions.
   */
  public UndoSegment acquire(EngineContext ctx) {
    UndoSegment segment = acquireAny(ctx);
    boolean durable = false;
    try {
      log.awaitDurable(ctx, segment.prepare(ctx));
      durable = true;
      return segment;
    } finally {
      if (!durable) {
        segment.end();
        release(segment);
      }
    }
  }

  private UndoSegment acquireAny(EngineContext ctx) {
    UndoSegment segment = pool.isShared() ? tryAcquireUnread() : tryAcquire();
    while (segment == null) {
      ctx.waits().beforeWait();
      growth.lock();
      try {
        if (number(freeHead.get()) == NOBODY || pool.isShared() && count < MOST_FOR_READERS) {
          return create(ctx);
        }
      } finally {
        growth.unlock();
      }
      segment = tryAcquire();
    }
    return segment;
  }

  /** As {@link #tryAcquire}; also null when other nodes read all of them and there are few. */
  private UndoSegment tryAcquireUnread() {
    UndoSegment found = tryAcquire();
    if (found == null || !found.isUndoLent()) {
      return found;
    }
    UndoSegment[] read = new UndoSegment[LOOKS];
    int passed = 0;
    while (found != null && found.isUndoLent() && passed < LOOKS) {
      read[passed++] = found;
      found = tryAcquire();
    }
    if (found == null && count >= MOST_FOR_READERS) {
      found = read[--passed];
    }
    while (passed > 0) {
      release(read[--passed]);
    }
    return found;
  }

  /** A free segment, or null. */
  public UndoSegment tryAcquire() {
    while (true) {
      long head = freeHead.get();
      int number = number(head);
      if (number == NOBODY) {
        return null;
      }
      int next = (int) NEXT.getVolatile(nextFree, number);
      if (freeHead.compareAndSet(head, head(head, next))) {
        return get(number);
      }
    }
  }

  public void release(UndoSegment segment) {
    if (segment.isWornOut()) {
      segment.unpin();
      return; // it still answers questions, and no transaction gets it any more
    }
    while (true) {
      long head = freeHead.get();
      NEXT.setVolatile(nextFree, segment.number, number(head));
      if (freeHead.compareAndSet(head, head(head, segment.number))) {
        return;
      }
    }
  }

  private static int number(long head) {
    return (int) head & 0xFFFF;
  }

  private static long head(long before, int number) {
    return ((before >>> 16) + 1 << 16) | number;
  }

  private UndoSegment create(EngineContext ctx) {
    int number = count + 1;
    if (number > MAX_SEGMENTS) {
      throw new GaussException(
          SqlState.INSUFFICIENT_RESOURCES, "all " + MAX_SEGMENTS + " undo segments are in use");
    }
    if ((number - 1) / UndoDirectoryLayout.ENTRIES >= directoryPages.length) {
      addDirectoryPage(ctx, number);
    }
    int[] pages = new int[3];
    int reserved = 0;
    long[] lsn = new long[1];
    boolean logged = false;
    try {
      for (; reserved < pages.length; reserved++) {
        pages[reserved] = reserve(ctx);
      }
      int directory = directoryPages[(number - 1) / UndoDirectoryLayout.ENTRIES];
      RetainedPages.run(
          pool,
          ctx,
          () -> lsn[0] = logSegment(ctx, number, directory, pages[0], pages[1], pages[2]),
          id(directory),
          id(pages[0]),
          id(pages[1]),
          id(pages[2]));
      logged = true;
    } finally {
      for (int i = 0; i < reserved && !logged; i++) {
        unreserve(ctx, pages[i]);
      }
    }
    UndoSegment segment = new UndoSegment(this, number, pages[0]);
    segment.adopt(lsn[0], pages[1], pages[2]);
    horizon.startAt(segment, 1);
    SEGMENT.setRelease(segments, number, segment);
    count = number;
    return segment;
  }

  private long logSegment(
      EngineContext ctx, int number, int directory, int headerPage, int tablePage, int undoPage) {
    pool.pinToWrite(ctx, id(directory));
    Mtr mtr = ctx.mtr();
    try (PageGuard directoryGuard = new PageGuard();
        PageGuard header = new PageGuard();
        PageGuard table = new PageGuard();
        PageGuard undo = new PageGuard()) {
      mtr.begin(UndoRedo.STRUCTURE_BYTES);
      pool.write(ctx, id(directory), directoryGuard);
      pool.write(ctx, id(headerPage), header);
      pool.write(ctx, id(tablePage), table);
      pool.write(ctx, id(undoPage), undo);
      PageRecords.format(mtr, header, PageType.UNDO_SEGMENT, UndoRedo.nextGeneration(header));
      PageRecords.writeShort(mtr, header, UndoSegmentLayout.SEGMENT, number);
      PageRecords.writeInt(mtr, header, UndoSegmentLayout.TABLE_FIRST, tablePage);
      PageRecords.writeInt(mtr, header, UndoSegmentLayout.TABLE_LAST, tablePage);
      PageRecords.writeInt(mtr, header, UndoSegmentLayout.UNDO_FIRST, undoPage);
      PageRecords.writeInt(mtr, header, UndoSegmentLayout.UNDO_LAST, undoPage);
      PageRecords.format(mtr, table, PageType.UNDO_TABLE, UndoRedo.nextGeneration(table));
      PageRecords.writeShort(mtr, table, UndoTableLayout.SEGMENT, number);
      PageRecords.format(mtr, undo, PageType.UNDO, UndoRedo.nextGeneration(undo));
      PageRecords.writeShort(mtr, undo, UndoPage.SEGMENT, number);
      PageRecords.writeInt(mtr, directoryGuard, UndoDirectoryLayout.entry(number), headerPage);
      return mtr.commit();
    } finally {
      mtr.abandon();
      pool.unpin(id(directory));
    }
  }

  private void addDirectoryPage(EngineContext ctx, int firstSegment) {
    if (directoryPages.length == 0) {
      directoryPages = new int[] {UndoDirectoryLayout.ROOT};
      return;
    }
    int page = reserve(ctx);
    boolean logged = false;
    int last = directoryPages[directoryPages.length - 1];
    try {
      pool.pinToWrite(ctx, id(last));
      RetainedPages.run(
          pool, ctx, () -> logDirectoryPage(ctx, page, last, firstSegment), id(last), id(page));
      logged = true;
    } finally {
      if (!logged) {
        unreserve(ctx, page);
      }
    }
    pool.unpin(id(last));
    pool.unpin(id(page));
    directoryPages = Arrays.copyOf(directoryPages, directoryPages.length + 1);
    directoryPages[directoryPages.length - 1] = page;
  }

  private void logDirectoryPage(EngineContext ctx, int page, int before, int firstSegment) {
    Mtr mtr = ctx.mtr();
    try (PageGuard older = new PageGuard();
        PageGuard newer = new PageGuard()) {
      mtr.begin(UndoRedo.STRUCTURE_BYTES);
      if (before != 0) {
        pool.write(ctx, id(before), older);
        PageRecords.writeInt(mtr, older, PageLayout.RIGHT_SIBLING, page);
      }
      pool.write(ctx, id(page), newer);
      PageRecords.format(mtr, newer, PageType.UNDO_DIRECTORY, UndoRedo.nextGeneration(newer));
      PageRecords.writeInt(mtr, newer, UndoDirectoryLayout.FIRST_SEGMENT, firstSegment);
      mtr.commit();
    } finally {
      mtr.abandon();
    }
  }

  // ---- recovery

  /** A directory page found by recovery, in order. */
  public void recoveredDirectoryPage(int page) {
    directoryPages = Arrays.copyOf(directoryPages, directoryPages.length + 1);
    directoryPages[directoryPages.length - 1] = page;
  }

  /** A segment found by recovery, in order of numbers; free only after {@link #release}. */
  public void recoveredSegment(UndoSegment segment) {
    if (segment.number != count + 1) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "the undo directory jumps from segment " + count + " to " + segment.number);
    }
    SEGMENT.setRelease(segments, segment.number, segment);
    count = segment.number;
  }

  /** The pages that this slot has to give back to spaces. */
  public PurgeList purgeList() {
    return purgeList;
  }

  // ---- what segments use

  int reserve(EngineContext ctx) {
    return spaces.reserve(ctx, space);
  }

  void unreserve(EngineContext ctx, int page) {
    spaces.unreserve(ctx, space, page);
  }

  void free(EngineContext ctx, int page) {
    spaces.free(ctx, space, page);
  }

  public long id(int page) {
    return PageId.of(space, page);
  }

  public int space() {
    return space;
  }

  public BufferPool pool() {
    return pool;
  }

  public LamportClock clock() {
    return clock;
  }

  PurgeHorizon horizon() {
    return horizon;
  }

  TransactionSettings settings() {
    return settings;
  }

  public TransactionMetrics metrics() {
    return metrics;
  }

  public long nanos() {
    return nanoClock.getAsLong();
  }
}
