package io.gauss.common.page;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;

/**
 * A page of the space directory: the state of each space number. The directory's pages lie one
 * after the other in the system space from page {@link #FIRST_PAGE} on.
 *
 * <pre>
 * offset size
 *   0    64   page header, type SPACE_DIRECTORY
 *  64  8000   one byte per space: 0 never used, 1 exists, 2 dropped, 3 dropped and in no use
 * </pre>
 *
 * <p>A dropped space may still be read by what had begun before. Once nothing of that is left, it
 * is in no use, and page stores delete its pages. Numbers of dropped spaces are not given out
 * again, since streams may still deliver old records of their pages.
 */
public final class SpaceDirectoryLayout {
  /** The space that holds the directory. */
  public static final int SPACE = 1;

  public static final int FIRST_PAGE = 2;
  public static final int ENTRIES = PageLayout.HEADER_BYTES;
  public static final int SPACES = 8000;

  /** The system space's extents 0 to 15 are set aside for meta page and directory. */
  public static final int EXTENTS = 16;

  private static final int EXTENT_PAGES = 64;

  public static final int PAGES = EXTENTS * EXTENT_PAGES - FIRST_PAGE;
  public static final int MAX_SPACE = PAGES * SPACES - 1;

  public static final int UNUSED = 0;
  public static final int EXISTS = 1;
  public static final int DROPPED = 2;
  public static final int UNNEEDED = 3;

  private SpaceDirectoryLayout() {}

  public static int page(int space) {
    return FIRST_PAGE + space / SPACES;
  }

  /** The directory page that has a space's state. */
  public static long pageId(int space) {
    return PageId.of(SPACE, page(space));
  }

  public static int entry(int space) {
    return ENTRIES + space % SPACES;
  }

  /**
   * A space's state.
   *
   * @param page address of the directory page that has it
   */
  public static int state(long page, int space) {
    return Memory.getUnsignedByte(page + entry(space));
  }
}
