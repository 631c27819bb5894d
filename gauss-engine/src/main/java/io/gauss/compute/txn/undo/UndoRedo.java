package io.gauss.compute.txn.undo;

import io.gauss.common.page.PageView;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;

/** The redo records of undo segments' own pages, put into an open MTR. */
public final class UndoRedo {
  /** Upper bound of an MTR's bytes that changes a segment's structure. */
  static final int STRUCTURE_BYTES = 1024;

  /** Upper bound of an MTR's bytes that sets one table entry or one mark. */
  public static final int MARK_BYTES = 128;

  private UndoRedo() {}

  /** Generation for a page to be formatted: counts the lives of its number. */
  static int nextGeneration(PageGuard page) {
    long at = page.address();
    return PageView.lsn(at) == 0 ? 0 : PageView.generation(at) + 1;
  }

  /** Writes the LSN of this very record: a CSN. Returns the record's index. */
  public static int writeOwnLsn(Mtr mtr, PageGuard page, int offset) {
    int index = mtr.nextIndex();
    PageRecords.startWrite(mtr, page, offset);
    mtr.putLsnOf(index);
    return mtr.endRecord();
  }
}
