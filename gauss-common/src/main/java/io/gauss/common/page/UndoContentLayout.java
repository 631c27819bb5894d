package io.gauss.common.page;

import io.gauss.common.memory.Memory;

/**
 * Content of an undo record of the row store, after the chain header of {@link UndoRecordLayout};
 * offsets count from the start of the record.
 *
 * <pre>
 * 24  1  kind: INSERT 1, UPDATE 2, DELETE 3, LOCK 4, INSERT_RUN 5, INSERT_LISTED 6,
 *        OVERFLOW 7, MOVE 8
 * 25  1  zero
 * 26  4  space of the tree
 * 30 24  version header before the change ({@link VersionHeader}; zeroes for inserts)
 * 54  2  length of the key
 * 56  2  row offset at which the change begins
 * 58  2  bytes that the new row has there
 * 60     whole key, then the bytes that the old row had there
 * </pre>
 *
 * INSERT_RUN and INSERT_LISTED describe several rows whose version headers all name this record. A
 * run was on one leaf: the key is its lowest key, followed by its highest. Listed rows may be
 * anywhere: the key is empty, followed by all keys, ascending, each with its length as u16.
 *
 * <p>OVERFLOW describes a page that was written for a row too long for its leaf, in one MTR with
 * the record: the key is empty, followed by the page's number. Its rollback frees the page.
 *
 * <p>MOVE is the delete of a row whose key has changed: its new key follows the key. The same
 * transaction inserts the row under the new key next. The snapshots that need to know where a row
 * went are those that do not see the move, and for them the record is kept.
 *
 * <p>Old row = new row with the changed range restored; only UPDATE (also an insert over a deleted
 * record) has one. Row means the bytes in the leaf, so for an overflow row the reference is kept.
 */
public final class UndoContentLayout {
  public static final int KIND = UndoRecordLayout.CONTENT;
  public static final int SPACE = KIND + 2;
  public static final int OLD_VERSION = SPACE + 4;
  public static final int KEY_LENGTH = OLD_VERSION + VersionHeader.BYTES;
  public static final int ROW_AT = KEY_LENGTH + 2;
  public static final int NEW_BYTES = ROW_AT + 2;
  public static final int KEY = NEW_BYTES + 2;

  /** Content bytes besides key and old row bytes. */
  public static final int FIXED_BYTES = KEY - KIND;

  public static final int KIND_INSERT = 1;
  public static final int KIND_UPDATE = 2;
  public static final int KIND_DELETE = 3;
  public static final int KIND_LOCK = 4;
  public static final int KIND_INSERT_RUN = 5;
  public static final int KIND_INSERT_LISTED = 6;
  public static final int KIND_OVERFLOW = 7;
  public static final int KIND_MOVE = 8;

  /** OVERFLOW: the page's number. */
  public static final int OVERFLOW_PAGE = KEY;

  public static final int OVERFLOW_PAGE_BYTES = 4;

  private UndoContentLayout() {}

  public static int kind(long record) {
    return Memory.getUnsignedByte(record + KIND);
  }

  /** Whether there was no row before the change. */
  public static boolean isInsert(long record) {
    int kind = kind(record);
    return kind == KIND_INSERT || kind == KIND_INSERT_RUN || kind == KIND_INSERT_LISTED;
  }

  /** Whether the change ended the row under this key: it was deleted, or its key has changed. */
  public static boolean endsRow(long record) {
    int kind = kind(record);
    return kind == KIND_DELETE || kind == KIND_MOVE;
  }

  /** Address of the version header before the change. */
  public static long oldVersion(long record) {
    return record + OLD_VERSION;
  }

  static int keyLength(long record) {
    return Memory.getUnsignedShort(record + KEY_LENGTH);
  }

  public static int rowAt(long record) {
    return Memory.getUnsignedShort(record + ROW_AT);
  }

  public static int newBytes(long record) {
    return Memory.getUnsignedShort(record + NEW_BYTES);
  }

  /** Address of the old row bytes. */
  public static long oldBytes(long record) {
    return record + KEY + keyLength(record);
  }

  public static int oldBytesLength(long record, int recordLength) {
    return kind(record) == KIND_MOVE ? 0 : recordLength - KEY - keyLength(record);
  }

  /** The same of a record in an array, whose key has this length. */
  public static int oldBytesLength(byte[] record, int recordLength, int keyLength) {
    return record[KIND] == KIND_MOVE ? 0 : recordLength - KEY - keyLength;
  }

  /** MOVE: a copy of the row's new key. */
  public static byte[] newKey(long record, int recordLength) {
    int at = KEY + keyLength(record);
    byte[] key = new byte[recordLength - at];
    Memory.copyOut(record + at, key, 0, key.length);
    return key;
  }
}
