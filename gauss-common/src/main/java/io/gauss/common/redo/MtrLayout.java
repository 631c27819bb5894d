package io.gauss.common.redo;

import io.gauss.common.id.Lsn;
import io.gauss.common.memory.Memory;

/**
 * A mini-transaction (MTR) in the log: a header and its records, which appear together or not at
 * all.
 *
 * <pre>
 * offset size
 *  0     4   total length in bytes, header included
 *  4     2   number of records
 *  6     1   format version
 *  7     1   flags
 *  8     8   base LSN: record i (from 0) has LSN  base + i * Lsn.STEP
 * 16         records, one after the other
 *
 * record
 *  0     2   total length in bytes, header included
 *  2     1   type (RedoType)
 *  3     1   flags
 *  4     8   page id
 * 12     8   LSN of the page before this record (prevPageLSN); 0 when the page was never written
 * 20         payload by type
 * </pre>
 *
 * Integers are little-endian. The bytes are protected by the checksum of the log batch that carries
 * them.
 */
public final class MtrLayout {
  public static final int VERSION = 1;

  public static final int LENGTH = 0;
  public static final int COUNT = LENGTH + 4;
  public static final int FORMAT_VERSION = COUNT + 2;
  public static final int FLAGS = FORMAT_VERSION + 1;
  public static final int BASE_LSN = FLAGS + 1;
  public static final int HEADER_BYTES = BASE_LSN + 8;

  public static final int RECORD_LENGTH = 0;
  public static final int RECORD_TYPE = RECORD_LENGTH + 2;
  public static final int RECORD_FLAGS = RECORD_TYPE + 1;
  public static final int RECORD_PAGE_ID = RECORD_FLAGS + 1;
  public static final int RECORD_PREV_PAGE_LSN = RECORD_PAGE_ID + 8;
  public static final int RECORD_HEADER_BYTES = RECORD_PREV_PAGE_LSN + 8;

  private MtrLayout() {}

  public static int length(long mtr) {
    return Memory.getInt(mtr + LENGTH);
  }

  public static int count(long mtr) {
    return Memory.getUnsignedShort(mtr + COUNT);
  }

  public static int formatVersion(long mtr) {
    return Memory.getUnsignedByte(mtr + FORMAT_VERSION);
  }

  public static long baseLsn(long mtr) {
    return Memory.getLong(mtr + BASE_LSN);
  }

  public static long recordLsn(long baseLsn, int index) {
    return baseLsn + index * Lsn.STEP;
  }

  public static int recordLength(long record) {
    return Memory.getUnsignedShort(record + RECORD_LENGTH);
  }

  public static int recordType(long record) {
    return Memory.getUnsignedByte(record + RECORD_TYPE);
  }

  public static long recordPageId(long record) {
    return Memory.getLong(record + RECORD_PAGE_ID);
  }

  public static long recordPrevPageLsn(long record) {
    return Memory.getLong(record + RECORD_PREV_PAGE_LSN);
  }
}
