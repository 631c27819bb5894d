package io.gauss.jdbc.routing.model;

/**
 * Layout of published models and tables; all numbers with the highest byte first.
 *
 * <pre>
 *  0  4  magic "GRP\1"
 *  4  1  kind: 1 model, 2 table, 3 sources of their values (among compute nodes only)
 *  5  1  major version of the format: readers refuse a higher one
 *  6  1  minor version: readers skip sections that they do not know
 *  7  1  0
 *  8  8  version of the publication
 * 16  4  length of the body
 * 20  4  CRC-32C of bytes 0 to 19 and the body
 * 24     body: sections, each
 *          0  2  type
 *          2  2  0
 *          4  4  length
 *          8     content
 * </pre>
 *
 * Each type occurs at most once, in any order.
 */
final class PublicationLayout {
  static final int MAGIC = 0x47525001;
  static final int MODEL = 1;
  static final int TABLE = 2;
  static final int SOURCES = 3;
  static final int MAJOR = 1;
  static final int MINOR = 2;

  static final int KIND_OFFSET = 4;
  static final int MAJOR_OFFSET = 5;
  static final int MINOR_OFFSET = 6;
  static final int VERSION_OFFSET = 8;
  static final int LENGTH_OFFSET = 16;
  static final int CRC_OFFSET = 20;
  static final int BODY_OFFSET = 24;

  static final int SECTION_HEADER = 8;
  static final int SECTION_LENGTH_OFFSET = 4;

  /** Sections of a model. */
  static final int COLUMNS = 1;

  static final int TEMPLATES = 2;
  static final int LAYERS = 3;
  static final int GROUPS = 4;
  static final int NODES = 5;

  /** May be missing. */
  static final int KEYS = 6;

  /**
   * Of models and tables: ids of templates, for which owners of keys are better. May be missing.
   */
  static final int BY_OWNER = 7;

  /**
   * Of models: periods of columns, in their order, each a u16. May be missing: there are none. A
   * column with one has no {@code phases} in {@link #COLUMNS}, so that readers that skip this
   * section do not take other periods for it.
   */
  static final int PERIODS = 8;

  /** Of models: ids of templates, for which the table is better. May be missing. */
  static final int BY_TABLE = 9;

  /** Section of a table. */
  static final int ENTRIES = 16;

  /** Sections of sources. */
  static final int COLUMN_TABLES = 32;

  static final int ENTRY_COLUMNS = 33;
  static final int KEY_TEMPLATES = 34;

  private PublicationLayout() {}
}
