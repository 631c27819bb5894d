package io.gauss.common.page;

/**
 * An undo record: a chain header that every record has, then content that defines what to restore.
 *
 * <pre>
 * offset size
 *  0     8   own LSN: an undo pointer names page, slot and this LSN, and is stale when they differ (rule 23)
 *  8     8   xid of the transaction that wrote it
 * 16     4   page of the transaction's previous undo record, 0 = this is its first
 * 20     2   slot of the previous undo record
 * 22     2   zero
 * 24         content
 * </pre>
 *
 * Integers are little-endian.
 */
public final class UndoRecordLayout {
  public static final int LSN = 0;
  public static final int XID = LSN + 8;
  public static final int PREVIOUS_PAGE = XID + 8;
  public static final int PREVIOUS_SLOT = PREVIOUS_PAGE + 4;
  public static final int RESERVED = PREVIOUS_SLOT + 2;
  public static final int CONTENT = RESERVED + 2;

  private UndoRecordLayout() {}
}
