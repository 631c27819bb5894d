package io.gauss.common.page;

/**
 * Directory of a slot's undo segments: header pages by segment number. The first directory page is
 * {@link #ROOT}; further ones follow by RIGHT_SIBLING.
 *
 * <pre>
 * offset size
 *   0    64   page header; RIGHT_SIBLING is the next directory page
 *  64     4   number of the first segment in this page
 *  68     4   of the first directory page: the first page of the slot's purge list ({@link
 *             PurgeListLayout}), 0 = there is none yet
 *  72  8000   header page of segment first + i, 0 = no such segment
 * 8072  120   zero
 * </pre>
 */
public final class UndoDirectoryLayout {
  /** Page number of the first directory page in the undo space. */
  public static final int ROOT = 1;

  public static final int FIRST_SEGMENT = PageLayout.HEADER_BYTES;
  public static final int PURGE_LIST = FIRST_SEGMENT + 4;
  public static final int FIRST_ENTRY = PURGE_LIST + 4;
  public static final int ENTRIES = 2000;

  private UndoDirectoryLayout() {}

  /** Offset in its page of the entry of a segment; segments count from 1. */
  public static int entry(int segment) {
    return FIRST_ENTRY + 4 * ((segment - 1) % ENTRIES);
  }
}
