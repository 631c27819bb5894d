package io.gauss.common.page;

/**
 * One page of an undo segment's transaction table: outcomes of {@link #ENTRIES} consecutive
 * sequences.
 *
 * <pre>
 * offset size
 *   0    64   page header; RIGHT_SIBLING is the next younger page of the table
 *  64     2   segment number in its slot
 *  66     6   zero
 *  72     8   chunk number c: entry i is of sequence c * 1000 + i
 *  80  8000   entries: 0 = active or never used, 1 = rolled back, otherwise the CSN
 * 8080   112  zero
 * </pre>
 *
 * An entry is written once, by the commit or at the end of the rollback; the page is formatted
 * again for a younger chunk when all of it lies below the purge horizon.
 */
public final class UndoTableLayout {
  public static final int SEGMENT = PageLayout.HEADER_BYTES;
  public static final int CHUNK = SEGMENT + 8;
  public static final int FIRST_ENTRY = CHUNK + 8;
  public static final int ENTRIES = 1000;

  public static final long ENTRY_NONE = 0;
  public static final long ENTRY_ABORTED = 1;

  private UndoTableLayout() {}

  /** Offset in the page of the entry of a sequence. */
  public static int entry(long sequence) {
    return FIRST_ENTRY + 8 * (int) (sequence % ENTRIES);
  }
}
