package io.gauss.compute.space;

import io.gauss.common.page.PageLayout;

/**
 * A page of the space directory: the state of each space number. The directory's pages lie one
 * after the other in the system space from page {@link #FIRST_PAGE} on.
 *
 * <pre>
 * offset size
 *   0    64   page header, type SPACE_DIRECTORY
 *  64  8000   one byte per space: 0 never used, 1 exists, 2 dropped
 * </pre>
 *
 * <p>Numbers of dropped spaces are not given out again, since old pages under that number may still
 * be in page stores.
 */
public final class SpaceDirectoryLayout {
  public static final int FIRST_PAGE = 2;
  public static final int ENTRIES = PageLayout.HEADER_BYTES;
  public static final int SPACES = 8000;

  /** The system space's extents 0 to 15 are set aside for meta page and directory. */
  public static final int EXTENTS = 16;

  public static final int PAGES = EXTENTS * SpaceMapLayout.EXTENT_PAGES - FIRST_PAGE;
  public static final int MAX_SPACE = PAGES * SPACES - 1;

  public static final int UNUSED = 0;
  public static final int EXISTS = 1;
  public static final int DROPPED = 2;

  private SpaceDirectoryLayout() {}

  static int page(int space) {
    return FIRST_PAGE + space / SPACES;
  }

  public static int entry(int space) {
    return ENTRIES + space % SPACES;
  }
}
