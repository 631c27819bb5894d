package io.gauss.common.page;

/** Type of a page; the byte at {@link PageLayout#TYPE}. Numbers are part of the format. */
public final class PageType {
  /** Never formatted, or zeroed. */
  public static final int FREE = 0;

  /** The data directory's first page, the entry point to everything else. */
  public static final int META = 1;

  /** Map of a space's extents and pages. */
  public static final int SPACE_MAP = 2;

  /** Leaf or inner page of a B-link tree ({@link TreePage}). */
  public static final int TREE = 3;

  /** Part of a row too long for its leaf ({@link OverflowPage}). */
  public static final int OVERFLOW = 4;

  /** Undo records of one segment. */
  public static final int UNDO = 5;

  /** Part of a segment's transaction table. */
  public static final int UNDO_TABLE = 6;

  /** Header of an undo segment. */
  public static final int UNDO_SEGMENT = 7;

  /** The list of undo segments. */
  public static final int UNDO_DIRECTORY = 8;

  /** State of sequences and of number ranges. */
  public static final int SEQUENCE = 9;

  /** Directory of the existing spaces. */
  public static final int SPACE_DIRECTORY = 10;

  /** Pages that wait to be returned to their spaces ({@link PurgeListLayout}). */
  public static final int PURGE_LIST = 11;

  private PageType() {}

  public static String name(int type) {
    return switch (type) {
      case FREE -> "FREE";
      case META -> "META";
      case SPACE_MAP -> "SPACE_MAP";
      case TREE -> "TREE";
      case OVERFLOW -> "OVERFLOW";
      case UNDO -> "UNDO";
      case UNDO_TABLE -> "UNDO_TABLE";
      case UNDO_SEGMENT -> "UNDO_SEGMENT";
      case UNDO_DIRECTORY -> "UNDO_DIRECTORY";
      case SEQUENCE -> "SEQUENCE";
      case SPACE_DIRECTORY -> "SPACE_DIRECTORY";
      case PURGE_LIST -> "PURGE_LIST";
      default -> "type " + type;
    };
  }
}
