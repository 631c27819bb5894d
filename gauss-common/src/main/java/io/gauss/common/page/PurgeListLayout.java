package io.gauss.common.page;

/**
 * A page of a slot's purge list: pages, of whatever space, that nothing leads to any more, and that
 * are given back to their space when no snapshot can want them. The first one is named by the
 * slot's undo directory ({@link UndoDirectoryLayout#PURGE_LIST}); further ones follow by
 * RIGHT_SIBLING.
 *
 * <pre>
 * offset size
 *   0    64   page header
 *  64  8112   338 entries of 24 bytes
 * 8176    16   zero
 *
 * entry
 *   0     8   page id, 0 = the entry is not in use
 *   8     8   xid of the transaction that must be over everywhere before the page is given back; 0 =
 *             what that depends on is over
 *  16     8   LSN of the redo record that first wrote the entry: the page is meant only while its
 *             LSN is below that, since it has been given back otherwise
 * </pre>
 */
public final class PurgeListLayout {
  public static final int FIRST_ENTRY = PageLayout.HEADER_BYTES;
  public static final int ENTRY_BYTES = 24;
  public static final int ENTRIES = 338;

  public static final int PAGE = 0;
  public static final int XID = PAGE + 8;
  public static final int LSN = XID + 8;

  private PurgeListLayout() {}

  /** Offset in its page of an entry; entries count from 0. */
  public static int entry(int index) {
    return FIRST_ENTRY + ENTRY_BYTES * index;
  }
}
