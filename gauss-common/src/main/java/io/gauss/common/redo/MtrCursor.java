package io.gauss.common.redo;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Iterates over the records of log bytes, and checks that lengths are consistent. For tools; code
 * that applies records works on addresses. Not thread-safe.
 */
public final class MtrCursor {
  private final ByteBuffer bytes;
  private final long offset;
  private int mtr;
  private int mtrEnd;
  private int record;
  private int recordEnd;
  private int index;
  private int count;

  /**
   * @param bytes whole MTRs; must not change while this is used
   * @param offset of the first byte in the stream
   */
  public MtrCursor(ByteBuffer bytes, long offset) {
    this.bytes = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
    this.offset = offset;
  }

  /**
   * Moves to the next record; false after the last.
   *
   * @throws GaussException XX001 when the bytes are not MTRs
   */
  public boolean next() {
    while (index + 1 >= count) {
      require(count == 0 || recordEnd == mtrEnd, "has bytes behind its last record");
      if (mtrEnd == bytes.capacity()) {
        return false;
      }
      enterMtr();
    }
    index++;
    record = recordEnd;
    require(mtrEnd - record >= MtrLayout.RECORD_HEADER_BYTES, "is cut off");
    int length = Short.toUnsignedInt(bytes.getShort(record + MtrLayout.RECORD_LENGTH));
    require(
        length >= MtrLayout.RECORD_HEADER_BYTES && length <= mtrEnd - record,
        "has a record of " + length + " bytes");
    recordEnd = record + length;
    return true;
  }

  private void enterMtr() {
    mtr = mtrEnd;
    int left = bytes.capacity() - mtr;
    require(left >= MtrLayout.HEADER_BYTES, "is cut off");
    int version = Byte.toUnsignedInt(bytes.get(mtr + MtrLayout.FORMAT_VERSION));
    require(version == MtrLayout.VERSION, "is of format version " + version);
    int length = bytes.getInt(mtr + MtrLayout.LENGTH);
    require(length >= MtrLayout.HEADER_BYTES && length <= left, "has a length of " + length);
    mtrEnd = mtr + length;
    recordEnd = mtr + MtrLayout.HEADER_BYTES;
    count = Short.toUnsignedInt(bytes.getShort(mtr + MtrLayout.COUNT));
    index = -1;
  }

  private void require(boolean condition, String flaw) {
    if (!condition) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED, "the MTR at offset " + mtrOffset() + " " + flaw);
    }
  }

  /** Offset in the stream of the record's MTR. */
  long mtrOffset() {
    return offset + mtr;
  }

  /** Offset in the stream of the record. */
  public long recordOffset() {
    return offset + record;
  }

  /** Number of records in the MTR. */
  public int count() {
    return count;
  }

  /** Index of the record in the MTR, from 0. */
  public int index() {
    return index;
  }

  public long lsn() {
    return MtrLayout.recordLsn(bytes.getLong(mtr + MtrLayout.BASE_LSN), index);
  }

  /** LSN of the MTR's last record. */
  public long lastLsn() {
    return MtrLayout.recordLsn(bytes.getLong(mtr + MtrLayout.BASE_LSN), count - 1);
  }

  public int type() {
    return Byte.toUnsignedInt(bytes.get(record + MtrLayout.RECORD_TYPE));
  }

  public long pageId() {
    return bytes.getLong(record + MtrLayout.RECORD_PAGE_ID);
  }

  public long previousPageLsn() {
    return bytes.getLong(record + MtrLayout.RECORD_PREV_PAGE_LSN);
  }

  /** Bytes of the record, header included. */
  public int length() {
    return recordEnd - record;
  }

  /** The record's bytes after its header; little-endian. */
  public ByteBuffer payload() {
    int start = record + MtrLayout.RECORD_HEADER_BYTES;
    return bytes.slice(start, recordEnd - start).order(ByteOrder.LITTLE_ENDIAN);
  }
}
