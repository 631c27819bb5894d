package io.gauss.compute.txn;

import io.gauss.common.id.PageId;
import io.gauss.common.id.Xid;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.UndoSegmentLayout;
import io.gauss.common.page.UndoTableLayout;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.Checker;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.undo.CommitTable;
import io.gauss.compute.txn.undo.UndoSegment;
import io.gauss.compute.txn.undo.UndoSegments;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Checks the undo segments that no transaction has: the transaction table on pages agrees with the
 * one in memory, the undo ring is one chain, all of whose records belong to transactions that have
 * ended, and no page belongs to two segments.
 *
 * <p>It acquires the free segments for the time of the check, so that they are not written; those
 * in use are skipped. Transactions that begin to write meanwhile get new segments.
 */
public final class UndoChecker implements Checker {
  private final Transactions all;

  public UndoChecker(Transactions all) {
    this.all = all;
  }

  @Override
  public String name() {
    return "undo";
  }

  @Override
  public void check(EngineContext ctx) {
    UndoSegments segments = all.segments();
    ArrayDeque<UndoSegment> taken = new ArrayDeque<>();
    Map<Integer, Integer> owners = new HashMap<>();
    try {
      for (UndoSegment next = segments.tryAcquire(); next != null; next = segments.tryAcquire()) {
        taken.push(next);
        new SegmentCheck(segments, next, ctx, owners).run();
      }
    } finally {
      // Last in, first out, so that the order of the free list is restored.
      taken.forEach(segments::release);
    }
  }

  /** The check of one segment. */
  private static final class SegmentCheck {
    private final UndoSegments segments;
    private final UndoSegment segment;
    private final EngineContext ctx;
    private final Map<Integer, Integer> owners;
    private final PageGuard guard = new PageGuard();

    SegmentCheck(
        UndoSegments segments,
        UndoSegment segment,
        EngineContext ctx,
        Map<Integer, Integer> owners) {
      this.segments = segments;
      this.segment = segment;
      this.ctx = ctx;
      this.owners = owners;
    }

    void run() {
      ctx.interrupts().check();
      long at = open(segment.headerPage, PageType.UNDO_SEGMENT, UndoSegmentLayout.SEGMENT);
      int tableFirst = Memory.getInt(at + UndoSegmentLayout.TABLE_FIRST);
      int tableLast = Memory.getInt(at + UndoSegmentLayout.TABLE_LAST);
      int undoFirst = Memory.getInt(at + UndoSegmentLayout.UNDO_FIRST);
      int undoLast = Memory.getInt(at + UndoSegmentLayout.UNDO_LAST);
      guard.close();
      checkTable(tableFirst, tableLast);
      checkRing(undoFirst, undoLast);
    }

    private void checkTable(int first, int last) {
      long before = -1;
      int end = 0;
      for (int page = first; page != 0; ) {
        long at = open(page, PageType.UNDO_TABLE, UndoTableLayout.SEGMENT);
        try {
          long chunk = Memory.getLong(at + UndoTableLayout.CHUNK);
          require(chunk > before, page, "is chunk " + chunk + " after chunk " + before);
          before = chunk;
          for (int i = 0; i < UndoTableLayout.ENTRIES; i++) {
            checkEntry(page, chunk * UndoTableLayout.ENTRIES + i, at);
          }
          end = page;
          page = PageView.rightSibling(at);
        } finally {
          guard.close();
        }
      }
      require(end == last, end, "ends the transaction table, which shall end at page " + last);
    }

    private void checkEntry(int page, long sequence, long at) {
      long entry = Memory.getLong(at + UndoTableLayout.entry(sequence));
      long known = segment.table.get(sequence);
      boolean same =
          entry == UndoTableLayout.ENTRY_NONE
              ? known <= CommitTable.ACTIVE
              : entry == UndoTableLayout.ENTRY_ABORTED ? known < 0 : known == entry;
      require(
          same,
          page,
          "says %d of transaction %s, memory says %d"
              .formatted(entry, Xid.toString(Xid.of(segment.id, sequence)), known));
    }

    private void checkRing(int first, int last) {
      int end = 0;
      for (int page = first; page != 0; ) {
        long at = open(page, PageType.UNDO, UndoPage.SEGMENT);
        try {
          checkRecords(page, at);
          end = page;
          page = PageView.rightSibling(at);
        } finally {
          guard.close();
        }
      }
      require(end == last, end, "ends the undo ring, which shall end at page " + last);
    }

    private void checkRecords(int page, long at) {
      long before = 0;
      for (int slot = 0; slot < UndoPage.slotCount(at); slot++) {
        long xid = Memory.getLong(UndoPage.record(at, slot) + UndoRecordLayout.XID);
        long sequence = Xid.sequence(xid);
        require(
            Xid.segment(xid) == segment.id && sequence >= before && sequence <= segment.sequence(),
            page,
            "has a record of transaction " + Xid.toString(xid) + " at slot " + slot);
        require(
            segment.table.get(sequence) != CommitTable.ACTIVE,
            page,
            "has a record of transaction " + Xid.toString(xid) + ", which has no outcome");
        before = sequence;
      }
    }

    /** Latches a page of this segment and notes that it is in use; returns its address. */
    private long open(int page, int type, int segmentField) {
      Integer other = owners.putIfAbsent(page, segment.number);
      require(other == null, page, "belongs to undo segment " + other + " too");
      segments.pool().read(ctx, segments.id(page), guard);
      long at = guard.address();
      int owner = Memory.getUnsignedShort(at + segmentField);
      if (PageView.type(at) != type || owner != segment.number) {
        String found = PageType.name(PageView.type(at)) + " of segment " + owner;
        guard.close();
        require(false, page, "is " + found + ", wanted is " + PageType.name(type));
      }
      return at;
    }

    private void require(boolean holds, int page, String what) {
      if (!holds) {
        throw new IllegalStateException(
            "undo segment %d: page %s %s"
                .formatted(
                    segment.number, PageId.toString(PageId.of(segments.space(), page)), what));
      }
    }
  }
}
