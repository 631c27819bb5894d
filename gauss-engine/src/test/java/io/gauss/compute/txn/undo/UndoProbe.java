package io.gauss.compute.txn.undo;

import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;

/** What tests of the transaction part look at, or do, inside of the undo segments. */
public final class UndoProbe {
  private UndoProbe() {}

  /** Formats a page as an undo segment's own pages are. */
  public static void format(Mtr mtr, PageGuard page, int type) {
    PageRecords.format(mtr, page, type, 0);
  }

  /** Transactions that wait for the end of the one that has the segment. */
  public static int waiters(UndoSegment segment) {
    return segment.waiters();
  }

  public static long lowest(SnapshotRegistry registry, long otherwise) {
    return registry.lowest(otherwise);
  }

  /** As if the oldest page of the table had been reused. */
  public static void dropOldest(CommitTable table) {
    table.dropOldest();
  }

  public static int lastTablePage(CommitTable table) {
    return table.last().page;
  }

  public static int tablePages(UndoSegment segment) {
    return segment.table.chunks();
  }

  public static int ringPages(UndoSegment segment) {
    return segment.ring.size();
  }

  public static int pastFirst(UndoSegment segment) {
    return segment.ring.pastFirst();
  }
}
