package io.gauss.common.page;

/** Sizes and header offsets of every page; see docs/formats.md for the diagram. */
public final class PageLayout {
  public static final int PAGE_BYTES = 8192;
  public static final int PAGE_MASK = PAGE_BYTES - 1;

  public static final int CHECKSUM =
      0; // u32 CRC32C of bytes 4..8191, set when the page leaves memory
  public static final int VERSION = CHECKSUM + 4; // u8
  public static final int TYPE = VERSION + 1; // u8 PageType
  public static final int LEVEL = TYPE + 1; // u8, 0 = leaf
  public static final int FLAGS = LEVEL + 1; // u8, see FLAG_...
  public static final int PAGE_ID = FLAGS + 1; // u64
  public static final int LSN = PAGE_ID + 8; // u64
  public static final int STREAM = LSN + 8; // u32 stream of the last writer
  public static final int RIGHT_SIBLING = STREAM + 4; // u32 page number in the same space, 0 = none
  public static final int SLOT_COUNT = RIGHT_SIBLING + 4; // u16
  public static final int FREE_START = SLOT_COUNT + 2; // u16
  public static final int FREE_END = FREE_START + 2; // u16
  public static final int RECLAIMABLE =
      FREE_END + 2; // u16 bytes of removed records inside the heap
  public static final int GENERATION = RECLAIMABLE + 2; // u32, counts reuses of the page number
  public static final int PREFIX_LENGTH = GENERATION + 4; // u16 common key prefix
  public static final int LOW_LENGTH = PREFIX_LENGTH + 2; // u16 length of the low fence key
  public static final int HIGH_LENGTH =
      LOW_LENGTH + 2; // u16 length of the high key, NO_HIGH_KEY = none
  public static final int LAST_INSERT = HIGH_LENGTH + 2; // u16 slot of the newest insert
  public static final int INSERT_RUN =
      LAST_INSERT + 2; // u16 inserts in a row that were ascending neighbours
  public static final int RESERVED = INSERT_RUN + 2; // zeroed up to the end of the header
  public static final int HEADER_BYTES = 64;

  /** Format version of pages that this code writes. */
  public static final int CURRENT_VERSION = 1;

  /** The page was split and the separator is not yet known to have reached the parent (rule 22). */
  public static final int FLAG_INCOMPLETE_SPLIT = 1;

  /**
   * The page was removed from its tree: a search that still arrives here restarts from the root.
   */
  public static final int FLAG_UNLINKED = 2;

  /** High key length of the last page of a level. */
  public static final int NO_HIGH_KEY = 0xFFFF;

  private PageLayout() {}
}
