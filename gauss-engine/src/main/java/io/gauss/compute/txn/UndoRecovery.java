package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.UndoDirectoryLayout;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.UndoSegmentLayout;
import io.gauss.common.page.UndoTableLayout;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.undo.CommitTable;
import io.gauss.compute.txn.undo.UndoSegment;
import io.gauss.compute.txn.undo.UndoSegments;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds all undo segments after redo: rebuilds the tables in memory, and checks each segment's
 * newest undo record: when that record's transaction has no outcome in the table, the transaction
 * was active and is rolled back.
 *
 * <p>Only the newest record matters, since a segment has one transaction at a time, whose outcome
 * precedes all records of the next one in the log.
 */
final class UndoRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(UndoRecovery.class);

  private final Transactions all;
  private final UndoSegments segments;
  private final EngineContext ctx;
  private final PageGuard guard = new PageGuard();
  private final List<Orphans.Orphan> active = new ArrayList<>();
  private final List<PurgeSearch.Ring> rings = new ArrayList<>();
  private long ended;

  /**
   * @param segments of the slot to recover, still empty
   */
  UndoRecovery(Transactions all, UndoSegments segments, EngineContext ctx) {
    this.all = all;
    this.segments = segments;
    this.ctx = ctx;
  }

  /** Whether there is anything to recover: a node may die before it has written to the space. */
  boolean isFormatted() {
    latch(UndoDirectoryLayout.ROOT);
    try {
      return PageView.lsn(guard.address()) != 0;
    } finally {
      guard.close();
    }
  }

  /**
   * Finds the segments, lets this node answer for them, and rolls back.
   *
   * @return the number of transactions that were active
   */
  int run() {
    long began = segments.nanos();
    find();
    segments.purgeList().load(ctx, ended);
    active.forEach(
        all.abandoned()::add); // first, so that questions about them wait for the rollback
    all.slots().hold(segments);
    rings.forEach(all.purgeSearch()::add);
    long scanned = segments.nanos();
    boolean done = all.rollBackOrphans(ctx, all.settings().rollbackBeforeOpen());
    LOG.info(
        "undo of slot {}: {} segments found in {} ms; {} transactions were active, rolled back in"
            + " {} ms{}",
        segments.slot(),
        segments.count(),
        (scanned - began) / 1_000_000,
        active.size(),
        (segments.nanos() - scanned) / 1_000_000,
        done ? "" : "; large ones continue in the background");
    return active.size();
  }

  /**
   * Finds the segments without changing anything.
   *
   * @return the number of transactions that were active
   */
  int find() {
    // When transactions have ended is not known, but not later than this. It is above the clock,
    // not at it: a snapshot at the clock's value may have read a change that left no trace.
    ended = segments.clock().next(1);
    int[] headers = new int[UndoDirectoryLayout.ENTRIES];
    for (int page = UndoDirectoryLayout.ROOT; page != 0; ) {
      int first;
      int next;
      read(page, PageType.UNDO_DIRECTORY);
      try {
        first = Memory.getInt(guard.address() + UndoDirectoryLayout.FIRST_SEGMENT);
        next = PageView.rightSibling(guard.address());
        for (int i = 0; i < headers.length; i++) {
          headers[i] = Memory.getInt(guard.address() + UndoDirectoryLayout.FIRST_ENTRY + 4L * i);
        }
      } finally {
        guard.close();
      }
      segments.recoveredDirectoryPage(page);
      for (int i = 0; i < headers.length && headers[i] != 0; i++) {
        segment(first + i, headers[i]);
      }
      page = next;
    }
    return active.size();
  }

  private void segment(int number, int headerPage) {
    UndoSegment segment = new UndoSegment(segments, number, headerPage);
    read(headerPage, PageType.UNDO_SEGMENT);
    int tableFirst;
    int undoFirst;
    int undoLast;
    int undoPrevious;
    long markXid;
    int markPage;
    int markSlot;
    int markFromPage;
    int markFromSlot;
    try {
      long at = guard.address();
      tableFirst = Memory.getInt(at + UndoSegmentLayout.TABLE_FIRST);
      undoFirst = Memory.getInt(at + UndoSegmentLayout.UNDO_FIRST);
      undoLast = Memory.getInt(at + UndoSegmentLayout.UNDO_LAST);
      undoPrevious = Memory.getInt(at + UndoSegmentLayout.UNDO_PREVIOUS);
      markXid = Memory.getLong(at + UndoSegmentLayout.MARK_XID);
      markPage = Memory.getInt(at + UndoSegmentLayout.MARK_PAGE);
      markSlot = Memory.getUnsignedShort(at + UndoSegmentLayout.MARK_SLOT);
      markFromPage = Memory.getInt(at + UndoSegmentLayout.MARK_FROM_PAGE);
      markFromSlot = Memory.getUnsignedShort(at + UndoSegmentLayout.MARK_FROM_SLOT);
      segment.table.overwrittenCsn(Memory.getLong(at + UndoSegmentLayout.OVERWRITTEN_CSN));
    } finally {
      guard.close();
    }
    long newest = table(segment, tableFirst);
    int room = room(undoLast);
    Newest record = newestRecord(undoLast, number);
    if (record == null && undoPrevious != 0) {
      record = newestRecord(undoPrevious, number);
    }
    boolean wasActive = false;
    if (record != null && Xid.segment(record.xid) == segment.id) {
      long sequence = Xid.sequence(record.xid);
      wasActive = sequence > newest || segment.table.get(sequence) == CommitTable.ACTIVE;
      newest = Math.max(newest, sequence);
    }
    segment.recovered(ended, newest, undoFirst, undoLast, room);
    endAllBut(segment, wasActive ? newest : 0);
    // Other nodes may have older snapshots: the horizon's marks rise only as these allow.
    all.horizon().startAt(segment, Math.max(1, segment.table.oldest().firstSequence()));
    segments.recoveredSegment(segment);
    rings.add(new PurgeSearch.Ring(segments, number, undoFirst, undoLast, ended));
    if (!wasActive) {
      segments.release(segment);
      return;
    }
    boolean marked =
        markXid == record.xid && markFromPage == record.page && markFromSlot == record.slot;
    active.add(
        new Orphans.Orphan(
            segment,
            record.xid,
            record.page,
            record.slot,
            marked ? markPage : record.page,
            marked ? markSlot : record.slot));
  }

  /** Reads the transaction table and returns the newest sequence with an outcome. */
  private long table(UndoSegment segment, int firstPage) {
    long newest = 0;
    long now = segments.nanos();
    for (int page = firstPage; page != 0; ) {
      read(page, PageType.UNDO_TABLE);
      try {
        long at = guard.address();
        long number = Memory.getLong(at + UndoTableLayout.CHUNK);
        CommitTable.Chunk chunk = new CommitTable.Chunk(number, page);
        chunk.fullSince = now;
        for (int i = 0; i < UndoTableLayout.ENTRIES; i++) {
          long entry = Memory.getLong(at + UndoTableLayout.FIRST_ENTRY + 8L * i);
          if (entry != UndoTableLayout.ENTRY_NONE) {
            newest = Math.max(newest, number * UndoTableLayout.ENTRIES + i);
            chunk.entries[i] = entry == UndoTableLayout.ENTRY_ABORTED ? -ended : entry;
          }
        }
        segment.table.add(chunk);
        page = PageView.rightSibling(at);
      } finally {
        guard.close();
      }
    }
    return newest;
  }

  /**
   * Sequences without an outcome were never used, or only by transactions of which nothing is
   * durable: no transaction will ever have them, since the next life of the node has a table page
   * of its own.
   *
   * @param active that of the transaction that is to be rolled back; 0 = there is none
   */
  private void endAllBut(UndoSegment segment, long active) {
    for (CommitTable.Chunk chunk : segment.table.all()) {
      for (int i = 0; i < chunk.entries.length; i++) {
        if (chunk.entries[i] == CommitTable.ACTIVE && chunk.firstSequence() + i != active) {
          chunk.entries[i] = -ended;
        }
      }
    }
  }

  private int room(int page) {
    read(page, PageType.UNDO);
    try {
      return UndoPage.room(guard.address());
    } finally {
      guard.close();
    }
  }

  private record Newest(int page, int slot, long xid) {}

  /** The last record of an undo page of this segment, null when it has none. */
  private Newest newestRecord(int page, int number) {
    latch(page);
    try {
      long at = guard.address();
      int count = UndoPage.slotCount(at);
      if (PageView.type(at) != PageType.UNDO || UndoPage.segment(at) != number || count == 0) {
        return null;
      }
      long xid = Memory.getLong(UndoPage.record(at, count - 1) + UndoRecordLayout.XID);
      return new Newest(page, count - 1, xid);
    } finally {
      guard.close();
    }
  }

  private void read(int page, int type) {
    latch(page);
    int found = PageView.type(guard.address());
    if (found != type) {
      guard.close();
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "page "
              + Integer.toUnsignedString(page)
              + " of the undo space of slot "
              + segments.slot()
              + " is "
              + PageType.name(found)
              + " instead of "
              + PageType.name(type));
    }
  }

  private void latch(int page) {
    all.pool().read(ctx, segments.id(page), guard);
  }
}
