package io.gauss.compute.txn.undo;

import io.gauss.common.id.Xid;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoSegmentLayout;
import io.gauss.common.page.UndoTableLayout;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.buffer.RetainedPages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One undo segment: a transaction table and a ring of undo pages, which one transaction at a time
 * has to itself.
 *
 * <p>Owner: the thread of the transaction that acquired it (or of maintenance, while no transaction
 * has it). Any thread may read {@link #table}, {@link #sequence()}, {@link #ownerWaitNumber()} and
 * the waiter count.
 *
 * <p>Latch order within a segment: header, table pages, undo pages; all of them after every page of
 * a tree. No other thread writes these pages, so only readers of old versions compete for them.
 *
 * <p>Invariants: within a segment only the newest sequence can be active. A table entry is set
 * once. An undo page is formatted anew only when all transactions with records in it have passed
 * the purge horizon. Not kept: a crash between unlinking surplus undo pages and giving them back to
 * the space loses them to the space.
 */
public final class UndoSegment {
  /**
   * Chunks of sequences skipped at a restart: transactions whose traces were not durable yet had
   * sequences that clients may know, and these must never name another transaction. Each that ended
   * has a record in the log's ring, which would have to be half a gigabyte to hold as many.
   */
  static final long RESTART_SKIP_CHUNKS = 1 << 14;

  /**
   * Above it a segment gets no more transactions: the sequences that a restart may skip have to fit
   * above it.
   */
  private static final long LAST_SEQUENCE =
      Xid.SEQUENCE_MASK - (RESTART_SKIP_CHUNKS + 2) * UndoTableLayout.ENTRIES;

  private static final VarHandle WAITERS;

  static {
    try {
      WAITERS = MethodHandles.lookup().findVarHandle(UndoSegment.class, "waiters", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Among those of its slot. */
  public final int number;

  /** In the cluster: {@code Xid.segment} of all its transactions. */
  public final int id;

  public final int headerPage;
  public final CommitTable table = new CommitTable();
  final UndoRing ring = new UndoRing();

  private final UndoSegments segments;
  private volatile long sequence;
  private volatile long base;
  private volatile long recoveredNewest = -1;
  private volatile long nextLife = Long.MAX_VALUE;
  private volatile long recoveredLsn;
  private volatile long ownerWaitNumber;
  private long lifeLsn;

  @SuppressWarnings("unused") // by WAITERS
  private volatile int waiters;

  private final PageGuard header = new PageGuard();
  private final PageGuard older = new PageGuard();
  private final PageGuard newer = new PageGuard();
  private boolean skipOnNext;
  private boolean pinned;
  private boolean undoWasAway;
  private long keptUndo; // page id, 0 = none
  private int room;

  public UndoSegment(UndoSegments segments, int number, int headerPage) {
    this.segments = segments;
    this.number = number;
    this.id = Xid.segment(segments.slot(), number);
    this.headerPage = headerPage;
  }

  /** The newest sequence that a transaction got. */
  public long sequence() {
    return sequence;
  }

  /** First sequence since the last restart. */
  public long base() {
    return base;
  }

  /** Newest sequence that the last restart found; -1 = the segment is new. */
  public long recoveredNewest() {
    return recoveredNewest;
  }

  /**
   * Above all snapshots that may have read a change which the last restart found no trace of; 0 =
   * the segment is new.
   */
  public long recoveredLsn() {
    return recoveredLsn;
  }

  /**
   * The sequence with which the slot's node begins after the restart that found this segment; all
   * those of its earlier lives are below.
   */
  public long nextLife() {
    return nextLife;
  }

  /** Whether its sequences are exhausted, which takes years. */
  boolean isWornOut() {
    return sequence > LAST_SEQUENCE;
  }

  /**
   * Wait number of the transaction that has the segment, 0 when no transaction, or recovery, has
   * it.
   */
  public long ownerWaitNumber() {
    return ownerWaitNumber;
  }

  // ---- waiters: the thread that ends the transaction checks here before it takes any lock

  public void addWaiter() {
    WAITERS.getAndAdd(this, 1);
  }

  public void removeWaiter() {
    WAITERS.getAndAdd(this, -1);
  }

  int waiters() {
    return waiters;
  }

  public boolean hasWaiters() {
    return waiters != 0;
  }

  // ---- life of a transaction

  /**
   * By the owner, before {@link #begin}: makes sure that this life of the node has sequences of its
   * own. After a restart that is a table page of its own, so that another restart begins above it.
   * May wait for pages; no latch held.
   *
   * @return LSN that has to be durable before a transaction has a number
   */
  long prepare(EngineContext ctx) {
    if (skipOnNext) {
      pin(ctx);
      addTablePage(ctx);
    }
    return lifeLsn;
  }

  /**
   * Pins the pages that commit must not wait for, and begins the next sequence. May wait; no latch
   * held.
   *
   * @param waitNumber of the transaction that owns it until {@link #end}
   */
  public long begin(EngineContext ctx, long waitNumber) {
    pin(ctx);
    Invariant.check(!skipOnNext, "the segment has sequences of an earlier life only");
    long next = Math.max(sequence + 1, table.last().firstSequence());
    if (next / UndoTableLayout.ENTRIES != table.last().number) {
      next = addTablePage(ctx);
    }
    ownerWaitNumber = waitNumber;
    sequence = next;
    return Xid.of(id, next);
  }

  /** The transaction has ended and its entry is set. */
  public void end() {
    ownerWaitNumber = 0;
    if (number > segments.settings().pinnedSegments()) {
      unpin();
    }
  }

  /** Returns it to the free segments of its slot. */
  public void release() {
    segments.release(this);
  }

  private void pin(EngineContext ctx) {
    if (!pinned) {
      segments.pool().pinToWrite(ctx, id(headerPage));
      boolean complete = false;
      int pages = 1;
      try {
        segments.pool().pinToWrite(ctx, id(table.last().page));
        pages = 2;
        segments.pool().pinToWrite(ctx, id(ring.last()));
        complete = true;
      } finally {
        if (!complete) {
          segments.pool().unpin(id(headerPage));
          if (pages == 2) {
            segments.pool().unpin(id(table.last().page));
          }
        }
      }
      pinned = true;
    }
  }

  /** By the owner: lets the buffer pool evict the segment's pages. */
  void unpin() {
    if (pinned) {
      pinned = false;
      segments.pool().unpin(id(headerPage));
      segments.pool().unpin(id(table.last().page));
      segments.pool().unpin(id(ring.last()));
    }
  }

  /**
   * Takes over pages created by {@link UndoSegments}, which are pinned.
   *
   * @param lsn of their creation
   */
  void adopt(long lsn, int tablePage, int undoPage) {
    lifeLsn = lsn;
    table.add(new CommitTable.Chunk(0, tablePage));
    ring.add(undoPage, 0);
    room = UndoPage.MAX_RECORD + UndoPage.SLOT_BYTES;
    pinned = true;
  }

  // ---- the transaction table

  /** Latches the table page of the running transaction for writing; it is pinned. */
  public void latchEntry(EngineContext ctx, PageGuard guard) {
    segments.pool().write(ctx, id(table.last().page), guard);
  }

  /**
   * Begins a table page: the oldest one when it is below the horizon and past retention, otherwise
   * a fresh one.
   */
  private long addTablePage(EngineContext ctx) {
    CommitTable.Chunk last = table.last();
    long chunkNumber = last.number + 1 + (skipOnNext ? RESTART_SKIP_CHUNKS : 0);
    long now = segments.nanos();
    CommitTable.Chunk oldest = table.oldest();
    boolean reuse =
        table.chunks() >= 2
            && oldest.firstSequence() + UndoTableLayout.ENTRIES
                <= segments.horizon().passedSequence(id)
            && now - oldest.fullSince > segments.settings().statusRetentionNanos();
    int page = reuse ? oldest.page : segments.reserve(ctx);
    long[] lsn = new long[1];
    boolean done = false;
    if (reuse) {
      segments.pool().pinToWrite(ctx, id(page));
    }
    try {
      RetainedPages.run(
          segments.pool(),
          ctx,
          () -> lsn[0] = logTablePage(ctx, page, reuse, last, oldest, chunkNumber),
          id(headerPage),
          id(last.page),
          id(page));
      done = true;
    } finally {
      if (!done && reuse) {
        segments.pool().unpin(id(page));
      } else if (!done) {
        segments.unreserve(ctx, page);
      }
    }
    segments.pool().unpin(id(last.page));
    last.fullSince = now;
    if (reuse) {
      table.dropOldest();
    }
    table.add(new CommitTable.Chunk(chunkNumber, page));
    long first = chunkNumber * UndoTableLayout.ENTRIES;
    if (skipOnNext) {
      base = first;
      lifeLsn = lsn[0];
      skipOnNext = false;
    }
    return first;
  }

  private long logTablePage(
      EngineContext ctx,
      int page,
      boolean reuse,
      CommitTable.Chunk last,
      CommitTable.Chunk oldest,
      long chunkNumber) {
    Mtr mtr = ctx.mtr();
    boolean logged = false;
    try {
      mtr.begin(UndoRedo.STRUCTURE_BYTES);
      segments.pool().write(ctx, id(headerPage), header);
      segments.pool().write(ctx, id(last.page), older);
      segments.pool().write(ctx, id(page), newer);
      int generation = UndoRedo.nextGeneration(newer);
      if (reuse) {
        segments.clock().observe(PageView.lsn(newer.address())); // rule 27
        long overwritten = Math.max(table.overwrittenCsn(), oldest.highestCsn());
        PageRecords.writeLong(mtr, header, UndoSegmentLayout.OVERWRITTEN_CSN, overwritten);
        CommitTable.Chunk second = table.second();
        PageRecords.writeInt(mtr, header, UndoSegmentLayout.TABLE_FIRST, second.page);
      }
      PageRecords.format(mtr, newer, PageType.UNDO_TABLE, generation);
      PageRecords.writeShort(mtr, newer, UndoTableLayout.SEGMENT, number);
      PageRecords.writeLong(mtr, newer, UndoTableLayout.CHUNK, chunkNumber);
      PageRecords.writeInt(mtr, older, PageLayout.RIGHT_SIBLING, page);
      PageRecords.writeInt(mtr, header, UndoSegmentLayout.TABLE_LAST, page);
      long lsn = mtr.commit();
      logged = true;
      return lsn;
    } finally {
      if (!logged) {
        mtr.abandon();
      }
      closeGuards();
    }
  }

  // ---- the undo ring

  /** Bytes left in the page in use. */
  public int room() {
    return room;
  }

  public int undoPage() {
    return ring.last();
  }

  /**
   * Latches the undo page in use for writing; it is pinned.
   *
   * @throws PageAwayException when another node reads it: start over with {@link #readyUndo}
   */
  public void latchUndo(EngineContext ctx, PageGuard guard) {
    try {
      segments.pool().write(ctx, id(ring.last()), guard);
    } catch (PageAwayException e) {
      undoWasAway = true;
      throw e;
    }
  }

  /**
   * Before latches: if the page in use had gone to another node when it was last wanted, it is
   * retained until {@link #letUndoGo}, however long it takes to get the leaf.
   */
  public void readyUndo(EngineContext ctx) {
    if (undoWasAway && keptUndo == 0) {
      long page = id(ring.last());
      segments.pool().retain(ctx, page);
      keptUndo = page;
    }
  }

  /** Whether another node reads the page in use, and would have to drop it before it is written. */
  boolean isUndoLent() {
    return segments.pool().isLent(id(ring.last()));
  }

  /** After the attempt. */
  public void letUndoGo(EngineContext ctx) {
    if (keptUndo != 0) {
      undoWasAway = false;
      segments.pool().releaseRetained(ctx, keptUndo);
      keptUndo = 0;
    }
  }

  /** Records were appended to the page in use; its latch is held. */
  public void appended(PageGuard guard) {
    room = UndoPage.room(guard.address());
    ring.written(sequence);
  }

  /**
   * Puts another page into use: the oldest of the ring when it is below the horizon, otherwise a
   * fresh one.
   */
  public void nextUndoPage(EngineContext ctx) {
    int last = ring.last();
    int past = ring.pastFirst();
    final boolean reuse =
        past != 0 ? pastIsOver() : ring.youngestOfOldest() < segments.horizon().passedSequence(id);
    int page = !reuse ? segments.reserve(ctx) : past != 0 ? past : ring.oldest();
    boolean inPlace = page == last;
    boolean done = false;
    int following;
    if (reuse && !inPlace) {
      segments.pool().pinToWrite(ctx, id(page));
    }
    try {
      int[] result = new int[1];
      RetainedPages.run(
          segments.pool(),
          ctx,
          () -> result[0] = logUndoPage(ctx, page, last, reuse),
          id(headerPage),
          id(last),
          id(page));
      following = result[0];
      done = true;
    } finally {
      if (!done && !reuse) {
        segments.unreserve(ctx, page);
      } else if (!done && !inPlace) {
        segments.pool().unpin(id(page));
      }
    }
    if (reuse && past != 0) {
      ring.past(following == ring.oldest() ? 0 : following);
    } else if (reuse) {
      ring.removeOldest();
    }
    if (!inPlace) {
      segments.pool().unpin(id(last));
    }
    ring.add(page, 0);
    room = UndoPage.MAX_RECORD + UndoPage.SLOT_BYTES;
    segments.metrics().undoPages(reuse);
  }

  /** Whether no snapshot of any node can need the pages from before the restart. */
  private boolean pastIsOver() {
    return recoveredNewest < segments.horizon().passedSequence(id);
  }

  private int logUndoPage(EngineContext ctx, int page, int last, boolean reuse) {
    Mtr mtr = ctx.mtr();
    boolean logged = false;
    boolean inPlace = page == last;
    int following = 0;
    try {
      mtr.begin(UndoRedo.STRUCTURE_BYTES);
      segments.pool().write(ctx, id(headerPage), header);
      if (!inPlace) {
        segments.pool().write(ctx, id(last), older);
      }
      segments.pool().write(ctx, id(page), newer);
      int generation = UndoRedo.nextGeneration(newer);
      if (reuse) {
        segments.clock().observe(PageView.lsn(newer.address())); // rule 27
        following = PageView.rightSibling(newer.address());
        if (!inPlace) {
          PageRecords.writeInt(mtr, header, UndoSegmentLayout.UNDO_FIRST, following);
        }
      }
      PageRecords.format(mtr, newer, PageType.UNDO, generation);
      PageRecords.writeShort(mtr, newer, UndoPage.SEGMENT, number);
      if (!inPlace) {
        PageRecords.writeInt(mtr, older, PageLayout.RIGHT_SIBLING, page);
        PageRecords.writeInt(mtr, header, UndoSegmentLayout.UNDO_PREVIOUS, last);
        PageRecords.writeInt(mtr, header, UndoSegmentLayout.UNDO_LAST, page);
      }
      mtr.commit();
      logged = true;
    } finally {
      if (!logged) {
        mtr.abandon();
      }
      closeGuards();
    }
    return following;
  }

  /**
   * By maintenance while it has the segment: gives the oldest page of a long ring back to the
   * space.
   *
   * @return false when the ring is short enough or its oldest page is still wanted
   */
  public boolean shrink(EngineContext ctx, int keepPages) {
    boolean past = ring.pastFirst() != 0;
    boolean surplus =
        past
            ? pastIsOver()
            : ring.size() > Math.max(1, keepPages)
                && ring.youngestOfOldest() < segments.horizon().passedSequence(id);
    if (!surplus) {
      return false;
    }
    int page = past ? ring.pastFirst() : ring.oldest();
    segments.pool().pinToWrite(ctx, id(page));
    int following;
    try {
      int[] result = new int[1];
      RetainedPages.run(
          segments.pool(), ctx, () -> result[0] = logShrink(ctx, page), id(headerPage), id(page));
      following = result[0];
    } finally {
      segments.pool().unpin(id(page));
    }
    if (past) {
      ring.past(following == ring.oldest() ? 0 : following);
    } else {
      ring.removeOldest();
    }
    segments.free(ctx, page);
    return true;
  }

  private int logShrink(EngineContext ctx, int page) {
    segments.pool().pinToWrite(ctx, id(headerPage));
    Mtr mtr = ctx.mtr();
    try {
      mtr.begin(UndoRedo.MARK_BYTES);
      segments.pool().write(ctx, id(headerPage), header);
      segments.pool().read(ctx, id(page), older);
      int following = PageView.rightSibling(older.address());
      PageRecords.writeInt(mtr, header, UndoSegmentLayout.UNDO_FIRST, following);
      mtr.commit();
      return following;
    } finally {
      mtr.abandon();
      closeGuards();
      segments.pool().unpin(id(headerPage));
    }
  }

  private void closeGuards() {
    newer.close();
    older.close();
    header.close();
  }

  // ---- recovery

  /**
   * Sets the state that a restart found: all sequences up to {@code newest} have ended or will be
   * rolled back.
   *
   * @param lsn above all snapshots that may have read what the crash took back
   */
  public void recovered(long lsn, long newest, int undoFirst, int undoLast, int roomLeft) {
    recoveredLsn = lsn;
    recoveredNewest = newest;
    sequence = newest;
    base =
        Long.MAX_VALUE; // until the next transaction begins its first table page after the restart
    skipOnNext = true;
    nextLife = (table.last().number + 1 + RESTART_SKIP_CHUNKS) * UndoTableLayout.ENTRIES;
    ring.add(undoLast, newest);
    ring.past(undoFirst == undoLast ? 0 : undoFirst);
    room = roomLeft;
  }

  public long id(int page) {
    return segments.id(page);
  }

  @Override
  public String toString() {
    return "undo segment "
        + number
        + " of slot "
        + segments.slot()
        + " at sequence "
        + sequence
        + ", "
        + ring;
  }
}
