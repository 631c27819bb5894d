package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.SlottedPage;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.VersionHeader;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;
import io.gauss.compute.txn.Transaction;

/**
 * Adds the records of one change of a leaf record to an MTR: the undo record first, then the leaf's
 * redo, whose undo pointer refers to the undo record by page, slot and the LSN that it will get.
 * The leaf is latched for writing.
 */
final class LeafRecords {
  /** Generous bound for the MTR bytes of a change besides key and row bytes. */
  static final int MTR_BYTES = 320;

  /** Undo bytes of a change besides key and old row bytes. */
  static final int UNDO_BYTES =
      UndoRecordLayout.CONTENT + UndoContentLayout.FIXED_BYTES + UndoPage.SLOT_BYTES;

  private LeafRecords() {}

  /** Bytes that a new record takes on the page, slot included. */
  static int bytes(long page, int keyLength, int rowLength) {
    return bytesBehind(TreePage.prefixLength(page), keyLength, rowLength);
  }

  /** Bytes that a new record takes on a page with a common prefix, slot included. */
  static int bytesBehind(int prefixLength, int keyLength, int rowLength) {
    return TreePage.leafBytes(keyLength - prefixLength, rowLength) + SlottedPage.SLOT_BYTES;
  }

  static void insert(
      Transaction txn,
      PageGuard leaf,
      int slot,
      byte[] key,
      int keyOffset,
      int keyLength,
      int flags,
      byte[] row,
      int rowOffset,
      int rowLength) {
    Mtr mtr = txn.context().mtr();
    int undo = txn.startUndo(mtr);
    putInsertUndo(mtr, UndoContentLayout.KIND_INSERT, PageId.space(leaf.pageId()), keyLength);
    mtr.putBytes(key, keyOffset, keyLength);
    txn.endUndo(mtr);
    int prefix = TreePage.prefixLength(leaf.address());
    PageRecords.startInsert(mtr, leaf, slot);
    TreePage.startLeafRecord(mtr, keyLength - prefix);
    putVersion(txn, mtr, flags, undo);
    mtr.putBytes(key, keyOffset + prefix, keyLength - prefix);
    mtr.putBytes(row, rowOffset, rowLength);
    mtr.endRecord();
  }

  /**
   * Inserts rows of a run into a leaf, or into one that the same MTR formats.
   *
   * @param prefix length of the leaf's common key prefix
   * @param plan how many rows, and where
   * @param list the undo record that already lists them, if it is in use
   */
  static void insertRun(
      Transaction txn,
      PageGuard leaf,
      int prefix,
      RowRun run,
      int from,
      LeafPlan plan,
      ListedUndo list) {
    Mtr mtr = txn.context().mtr();
    int count = plan.count;
    int[] skips = plan.skips;
    if (list.isInUse()) {
      mtr.startRecord(leaf, RedoType.INSERT_MANY);
      list.putVersion(txn, mtr);
    } else {
      int undo = undoRun(txn, PageId.space(leaf.pageId()), run, from, from + count - 1);
      mtr.startRecord(leaf, RedoType.INSERT_MANY);
      putVersion(txn, mtr, 0, undo);
    }
    for (int i = 0; i < count; i++) {
      int keyLength = run.keyLength(from + i);
      int rowLength = run.rowLength(from + i);
      mtr.putByte(skips[i]);
      mtr.putShort(keyLength - prefix);
      mtr.putShort(rowLength);
      // The row lies behind its key.
      mtr.putBytes(run.bytes(), run.keyStart(from + i) + prefix, keyLength - prefix + rowLength);
    }
    mtr.endRecord();
  }

  private static int undoRun(Transaction txn, int space, RowRun run, int first, int last) {
    Mtr mtr = txn.context().mtr();
    int undo = txn.startUndo(mtr);
    int kind = first == last ? UndoContentLayout.KIND_INSERT : UndoContentLayout.KIND_INSERT_RUN;
    putInsertUndo(mtr, kind, space, run.keyLength(first));
    mtr.putBytes(run.bytes(), run.keyStart(first), run.keyLength(first));
    if (first < last) {
      mtr.putBytes(run.bytes(), run.keyStart(last), run.keyLength(last));
    }
    txn.endUndo(mtr);
    return undo;
  }

  /** Puts the part before the key of an insert's undo record. */
  static void putInsertUndo(Mtr mtr, int kind, int space, int keyLength) {
    mtr.putByte(kind);
    mtr.putByte(0);
    mtr.putInt(space);
    VersionHeader.putNone(mtr);
    mtr.putShort(keyLength);
    mtr.putShort(0);
    mtr.putShort(0);
  }

  /**
   * Writes a new version over a record: header, and {@code newBytes} bytes of {@code row} at {@code
   * rowOffset + at} for {@code oldBytes} bytes of the old row at {@code at}.
   *
   * @param oldHeader the header that the undo record keeps, null for the one in the leaf
   */
  static void change(
      Transaction txn,
      PageGuard leaf,
      int slot,
      int kind,
      byte[] key,
      int keyOffset,
      int keyLength,
      int flags,
      int at,
      int oldBytes,
      byte[] row,
      int rowOffset,
      int newBytes,
      byte[] oldHeader) {
    Mtr mtr = txn.context().mtr();
    long page = leaf.address();
    int undo = startChangeUndo(txn, leaf, slot, kind, oldHeader);
    mtr.putShort(keyLength);
    mtr.putShort(at);
    mtr.putShort(newBytes);
    mtr.putBytes(key, keyOffset, keyLength);
    mtr.putMemory(TreePage.rowAddress(page, slot) + at, oldBytes);
    txn.endUndo(mtr);
    mtr.startRecord(leaf, RedoType.VERSION);
    mtr.putShort(slot);
    putVersion(txn, mtr, flags, undo);
    mtr.putShort(TreePage.rowOffset(page, slot) + at);
    mtr.putShort(oldBytes);
    if (newBytes > 0) {
      mtr.putBytes(row, rowOffset + at, newBytes);
    }
    mtr.endRecord();
  }

  /**
   * Marks a record deleted whose row is inserted under another key next.
   *
   * @param version the row, as it was read for writing
   */
  static void move(
      Transaction txn,
      PageGuard leaf,
      int slot,
      RowVersion version,
      int flags,
      byte[] newKey,
      int newKeyLength) {
    Mtr mtr = txn.context().mtr();
    int undo =
        startChangeUndo(txn, leaf, slot, UndoContentLayout.KIND_MOVE, version.contentHeader());
    mtr.putShort(version.keyLength);
    mtr.putShort(0);
    mtr.putShort(0);
    mtr.putBytes(version.key, 0, version.keyLength);
    mtr.putBytes(newKey, 0, newKeyLength);
    txn.endUndo(mtr);
    mtr.startRecord(leaf, RedoType.VERSION);
    mtr.putShort(slot);
    putVersion(txn, mtr, flags, undo);
    mtr.putShort(TreePage.rowOffset(leaf.address(), slot));
    mtr.putShort(0);
    mtr.endRecord();
  }

  /** Starts the undo record of a change, up to the old version's header. */
  private static int startChangeUndo(
      Transaction txn, PageGuard leaf, int slot, int kind, byte[] oldHeader) {
    Mtr mtr = txn.context().mtr();
    int undo = txn.startUndo(mtr);
    mtr.putByte(kind);
    mtr.putByte(0);
    mtr.putInt(PageId.space(leaf.pageId()));
    if (oldHeader == null) {
      mtr.putMemory(TreePage.version(leaf.address(), slot), VersionHeader.BYTES);
    } else {
      mtr.putBytes(oldHeader, 0, VersionHeader.BYTES);
    }
    return undo;
  }

  /** Restores a record to the state in an undo record. */
  static void restore(Mtr mtr, PageGuard leaf, int slot, byte[] undo, int length) {
    int keyLength = u16(undo, UndoContentLayout.KEY_LENGTH);
    int at = u16(undo, UndoContentLayout.ROW_AT);
    int newBytes = u16(undo, UndoContentLayout.NEW_BYTES);
    int old = UndoContentLayout.KEY + keyLength;
    mtr.startRecord(leaf, RedoType.VERSION);
    mtr.putShort(slot);
    mtr.putBytes(undo, UndoContentLayout.OLD_VERSION, VersionHeader.BYTES);
    mtr.putShort(TreePage.rowOffset(leaf.address(), slot) + at);
    mtr.putShort(newBytes);
    mtr.putBytes(undo, old, UndoContentLayout.oldBytesLength(undo, length, keyLength));
    mtr.endRecord();
  }

  private static void putVersion(Transaction txn, Mtr mtr, int flags, int undo) {
    VersionHeader.start(mtr, flags, txn.xid(), txn.undoPage(), txn.undoSlot());
    mtr.putLsnOf(undo);
  }

  /** Length of the common prefix of a row in the leaf and another row. */
  static int commonStart(long row, int rowLength, byte[] other, int offset, int length) {
    int limit = Math.min(rowLength, length);
    int i = 0;
    while (i < limit && Memory.getByte(row + i) == other[offset + i]) {
      i++;
    }
    return i;
  }

  /** Length of their common suffix, without the first {@code start} bytes. */
  static int commonEnd(long row, int rowLength, byte[] other, int offset, int length, int start) {
    int limit = Math.min(rowLength, length) - start;
    int i = 0;
    while (i < limit && Memory.getByte(row + rowLength - 1 - i) == other[offset + length - 1 - i]) {
      i++;
    }
    return i;
  }

  static int u16(byte[] bytes, int offset) {
    return (bytes[offset] & 0xFF) | (bytes[offset + 1] & 0xFF) << 8;
  }

  static int i32(byte[] bytes, int offset) {
    return u16(bytes, offset) | u16(bytes, offset + 2) << 16;
  }

  static long i64(byte[] bytes, int offset) {
    return (i32(bytes, offset) & 0xFFFF_FFFFL) | (long) i32(bytes, offset + 4) << 32;
  }
}
