package io.gauss.common.redo;

import io.gauss.common.page.VersionHeader;

/** Offsets within the payloads of redo records; see {@link RedoType} for the diagram. */
public final class RedoPayload {
  public static final int FORMAT_TYPE = 0;
  public static final int FORMAT_LEVEL = FORMAT_TYPE + 1;
  public static final int FORMAT_FLAGS = FORMAT_LEVEL + 1;
  public static final int FORMAT_GENERATION = FORMAT_FLAGS + 2;
  public static final int FORMAT_RIGHT = FORMAT_GENERATION + 4;
  public static final int FORMAT_PREFIX = FORMAT_RIGHT + 4;
  public static final int FORMAT_LOW_LENGTH = FORMAT_PREFIX + 2;
  public static final int FORMAT_HIGH_LENGTH = FORMAT_LOW_LENGTH + 2;
  public static final int FORMAT_KEYS = FORMAT_HIGH_LENGTH + 2;

  public static final int IMAGE_HOLE_START = 0;
  public static final int IMAGE_HOLE_END = IMAGE_HOLE_START + 2;
  public static final int IMAGE_BYTES = IMAGE_HOLE_END + 2;

  public static final int INSERT_SLOT = 0;
  public static final int INSERT_BYTES = INSERT_SLOT + 2;

  public static final int SPLICE_SLOT = 0;
  public static final int SPLICE_AT = SPLICE_SLOT + 2;
  public static final int SPLICE_REMOVE = SPLICE_AT + 2;
  public static final int SPLICE_BYTES = SPLICE_REMOVE + 2;

  public static final int REMOVE_SLOT = 0;
  public static final int REMOVE_COUNT = REMOVE_SLOT + 2;
  public static final int REMOVE_BYTES = REMOVE_COUNT + 2;

  public static final int WRITE_OFFSET = 0;
  public static final int WRITE_BYTES = WRITE_OFFSET + 2;

  public static final int REFENCE_KEEP = 0;
  public static final int REFENCE_FLAGS = REFENCE_KEEP + 2;
  public static final int REFENCE_RIGHT = REFENCE_FLAGS + 2;
  public static final int REFENCE_PREFIX = REFENCE_RIGHT + 4;
  public static final int REFENCE_LOW_LENGTH = REFENCE_PREFIX + 2;
  public static final int REFENCE_HIGH_LENGTH = REFENCE_LOW_LENGTH + 2;
  public static final int REFENCE_KEYS = REFENCE_HIGH_LENGTH + 2;

  public static final int VERSION_SLOT = 0;
  public static final int VERSION_HEADER = VERSION_SLOT + 2;
  public static final int VERSION_AT = VERSION_HEADER + VersionHeader.BYTES;
  public static final int VERSION_REMOVE = VERSION_AT + 2;
  public static final int VERSION_BYTES = VERSION_REMOVE + 2;

  public static final int MANY_VERSION = 0;
  public static final int MANY_ROWS = MANY_VERSION + VersionHeader.BYTES;

  /** Offsets within one of an INSERT_MANY's rows. */
  public static final int MANY_SKIP = 0;

  public static final int MANY_SUFFIX_LENGTH = MANY_SKIP + 1;
  public static final int MANY_ROW_LENGTH = MANY_SUFFIX_LENGTH + 2;
  public static final int MANY_BYTES = MANY_ROW_LENGTH + 2;

  private RedoPayload() {}
}
