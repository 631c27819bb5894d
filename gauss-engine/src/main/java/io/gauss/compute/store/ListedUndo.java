package io.gauss.compute.store;

import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.VersionHeader;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.txn.Transaction;

/**
 * One undo record for rows of a run that lie scattered over a tree: it lists their keys and is
 * written before them, each once. A rollback looks for each key and removes the rows whose version
 * headers refer to the record, so it does not matter how many of them were inserted. One per
 * session, reused.
 */
final class ListedUndo {
  /** Such a part of an undo page that little of a page is left unused. */
  private static final int LIST_BYTES_MAX = 2048;

  private static final int LENGTH_BYTES = 2;

  private int page;
  private int slot;
  private long lsn;

  /** Position behind the last row in the list; at or below the current one when not in use. */
  private int end;

  private boolean inUse;

  boolean isInUse() {
    return inUse;
  }

  /** Stops using the list when its end is reached. */
  void reached(int position) {
    inUse &= position < end;
  }

  /** Position behind the last row whose undo is known to be the same. */
  int limit(RowRun run) {
    return inUse ? end : run.count();
  }

  void stop() {
    inUse = false;
  }

  /** Logs a list of rows from a position on. No latch may be held; may wait. */
  void start(Transaction txn, int space, RowRun run, int from) {
    int bytes = 0;
    end = from;
    while (end < run.count()) {
      int more = LENGTH_BYTES + run.keyLength(end);
      if (bytes + more > LIST_BYTES_MAX || (end > from && run.repeatsKey(end))) {
        break;
      }
      bytes += more;
      end++;
    }
    if (end == from) {
      return;
    }
    Mtr mtr = txn.context().mtr();
    txn.prepareUndo(LeafRecords.UNDO_BYTES + bytes);
    try {
      mtr.begin(LeafRecords.MTR_BYTES + bytes);
      int undo = txn.startUndo(mtr);
      LeafRecords.putInsertUndo(mtr, UndoContentLayout.KIND_INSERT_LISTED, space, 0);
      for (int i = from; i < end; i++) {
        mtr.putShort(run.keyLength(i));
        mtr.putBytes(run.bytes(), run.keyStart(i), run.keyLength(i));
      }
      txn.endUndo(mtr);
      mtr.commit();
      page = txn.undoPage();
      slot = txn.undoSlot();
      lsn = mtr.lsnOf(undo);
      inUse = true;
    } finally {
      txn.releaseUndo();
      mtr.abandon();
    }
  }

  /** Puts the version header of the listed rows. */
  void putVersion(Transaction txn, Mtr mtr) {
    VersionHeader.start(mtr, 0, txn.xid(), page, slot);
    mtr.putLong(lsn);
  }
}
