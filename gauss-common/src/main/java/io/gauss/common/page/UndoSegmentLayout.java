package io.gauss.common.page;

/**
 * Header page of an undo segment: the beginnings and ends of its rings, and the progress of a
 * rollback.
 *
 * <pre>
 * offset size
 *   0    64   page header
 *  64     2   segment number in its slot
 *  66     2   zero
 *  68     4   first (oldest) page of the transaction table
 *  72     4   last page of the transaction table
 *  76     4   first (oldest) page of the undo ring
 *  80     4   last page of the undo ring, the one that is written to
 *  84     4   last page before that: where the newest record is while the last page is still empty
 *  88     8   rollback mark: xid whose records are being undone, 0 = none
 *  96     4   rollback mark: page of the next record to undo, 0 = everything is undone
 * 100     2   rollback mark: slot of the next record to undo
 * 102     2   zero
 * 104     4   rollback mark: page of the segment's newest record when the rollback began
 * 108     2   rollback mark: slot of that record
 * 110     2   zero
 * 112     8   highest CSN that the transaction table has overwritten (rule 24)
 * </pre>
 *
 * The mark is valid only while the record that it names as newest still is the newest: the chain of
 * records written after a partial rollback skips the undone ones.
 */
public final class UndoSegmentLayout {
  public static final int SEGMENT = PageLayout.HEADER_BYTES;
  public static final int TABLE_FIRST = SEGMENT + 4;
  public static final int TABLE_LAST = TABLE_FIRST + 4;
  public static final int UNDO_FIRST = TABLE_LAST + 4;
  public static final int UNDO_LAST = UNDO_FIRST + 4;
  public static final int UNDO_PREVIOUS = UNDO_LAST + 4;
  public static final int MARK_XID = UNDO_PREVIOUS + 4;
  public static final int MARK_PAGE = MARK_XID + 8;
  public static final int MARK_SLOT = MARK_PAGE + 4;
  public static final int MARK_FROM_PAGE = MARK_SLOT + 4;
  public static final int MARK_FROM_SLOT = MARK_FROM_PAGE + 4;
  public static final int OVERWRITTEN_CSN = MARK_FROM_SLOT + 4;
  public static final int END = OVERWRITTEN_CSN + 8;

  private UndoSegmentLayout() {}
}
