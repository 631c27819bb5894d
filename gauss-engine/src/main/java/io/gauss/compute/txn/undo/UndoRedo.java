package io.gauss.compute.txn.undo;

import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageView;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.Mtr;

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

  static void format(Mtr mtr, PageGuard page, int type, int generation) {
    mtr.startRecord(page, RedoType.FORMAT);
    mtr.putByte(type);
    mtr.putByte(0); // level
    mtr.putByte(0); // flags
    mtr.putByte(0);
    mtr.putInt(generation);
    mtr.putInt(0); // right sibling
    mtr.putShort(0); // prefix length
    mtr.putShort(0); // low fence length
    mtr.putShort(PageLayout.NO_HIGH_KEY);
    mtr.endRecord();
  }

  static void writeShort(Mtr mtr, PageGuard page, int offset, int value) {
    mtr.startRecord(page, RedoType.WRITE);
    mtr.putShort(offset);
    mtr.putShort(value);
    mtr.endRecord();
  }

  static void writeInt(Mtr mtr, PageGuard page, int offset, int value) {
    mtr.startRecord(page, RedoType.WRITE);
    mtr.putShort(offset);
    mtr.putInt(value);
    mtr.endRecord();
  }

  public static void writeLong(Mtr mtr, PageGuard page, int offset, long value) {
    mtr.startRecord(page, RedoType.WRITE);
    mtr.putShort(offset);
    mtr.putLong(value);
    mtr.endRecord();
  }

  /** Writes the LSN of this very record: a CSN. Returns the record's index. */
  public static int writeOwnLsn(Mtr mtr, PageGuard page, int offset) {
    int index = mtr.nextIndex();
    mtr.startRecord(page, RedoType.WRITE);
    mtr.putShort(offset);
    mtr.putLsnOf(index);
    return mtr.endRecord();
  }
}
