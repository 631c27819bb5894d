package io.gauss.common.page;

import io.gauss.common.memory.Memory;

/**
 * Named access to the header of a page at an address; see {@link PageLayout}. Read-only: pages
 * change through redo.
 */
public final class PageView {
  private PageView() {}

  /** One of {@link PageType}. */
  public static int type(long page) {
    return Memory.getUnsignedByte(page + PageLayout.TYPE);
  }

  public static int level(long page) {
    return Memory.getUnsignedByte(page + PageLayout.LEVEL);
  }

  public static int flags(long page) {
    return Memory.getUnsignedByte(page + PageLayout.FLAGS);
  }

  public static long pageId(long page) {
    return Memory.getLong(page + PageLayout.PAGE_ID);
  }

  public static long lsn(long page) {
    return Memory.getLong(page + PageLayout.LSN);
  }

  public static int stream(long page) {
    return Memory.getInt(page + PageLayout.STREAM);
  }

  /** Page number in the same space; 0 = none. */
  public static int rightSibling(long page) {
    return Memory.getInt(page + PageLayout.RIGHT_SIBLING);
  }

  /** Slot of the newest insert. */
  public static int lastInsert(long page) {
    return Memory.getUnsignedShort(page + PageLayout.LAST_INSERT);
  }

  /** Inserts in a row that were ascending neighbours. */
  public static int insertRun(long page) {
    return Memory.getUnsignedShort(page + PageLayout.INSERT_RUN);
  }

  public static int slotCount(long page) {
    return Memory.getUnsignedShort(page + PageLayout.SLOT_COUNT);
  }

  public static int freeStart(long page) {
    return Memory.getUnsignedShort(page + PageLayout.FREE_START);
  }

  public static int freeEnd(long page) {
    return Memory.getUnsignedShort(page + PageLayout.FREE_END);
  }

  static int reclaimable(long page) {
    return Memory.getUnsignedShort(page + PageLayout.RECLAIMABLE);
  }

  public static int generation(long page) {
    return Memory.getInt(page + PageLayout.GENERATION);
  }

  public static boolean isIncompleteSplit(long page) {
    return (flags(page) & PageLayout.FLAG_INCOMPLETE_SPLIT) != 0;
  }

  public static boolean isUnlinked(long page) {
    return (flags(page) & PageLayout.FLAG_UNLINKED) != 0;
  }
}
