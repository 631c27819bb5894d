package io.gauss.compute.sql.copy;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.ByteSink;
import java.util.Arrays;

/**
 * Rows of the binary format: a header, then for each row its number of fields and for each field
 * its length (-1 = NULL) and bytes, then -1 instead of a number of fields.
 */
final class BinaryRows extends CopyRows {
  static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0};

  private static final int FLAG_OIDS = 1 << 16;
  private static final int CRITICAL_FLAGS = 0xFFFE_0000;
  private static final int NO_COLUMN = -1;
  private static final String WRONG_FORMAT = "incorrect binary data format";

  private final CopyColumns columns;
  private final CopyBuffer buffer;
  private long rows;
  private int column = NO_COLUMN;

  BinaryRows(String table, CopyColumns columns, CopyBuffer buffer) {
    super(table);
    this.columns = columns;
    this.buffer = buffer;
  }

  /**
   * Ensures that {@code count} bytes are present at {@code buffer.start}; false when the data ends
   * before.
   */
  private boolean has(int count) {
    while (buffer.end - buffer.start < count) {
      if (!buffer.fill()) {
        return false;
      }
    }
    return true;
  }

  private static GaussException malformed(String message) {
    return new GaussException(SqlState.BAD_COPY_FILE_FORMAT, message);
  }

  private int header(String missing) {
    if (!has(Integer.BYTES)) {
      throw malformed("invalid COPY file header (%s)".formatted(missing));
    }
    return takeInt();
  }

  private int takeInt() {
    int value = ByteSink.getInt(buffer.bytes, buffer.start);
    buffer.start += Integer.BYTES;
    return value;
  }

  @Override
  public void begin() {
    int length = SIGNATURE.length;
    if (!has(length)
        || !Arrays.equals(
            buffer.bytes, buffer.start, buffer.start + length, SIGNATURE, 0, length)) {
      throw malformed("COPY file signature not recognized");
    }
    buffer.start += length;
    int flags = header("missing flags");
    if ((flags & FLAG_OIDS) != 0) {
      throw malformed("invalid COPY file header (WITH OIDS)");
    }
    if ((flags & CRITICAL_FLAGS) != 0) {
      throw malformed("unrecognized critical flags in COPY file header");
    }
    int extension = header("missing length");
    if (extension < 0) {
      throw malformed("invalid COPY file header (missing length)");
    }
    for (int i = 0; i < extension; i++) {
      if (!has(1)) {
        throw malformed("invalid COPY file header (wrong length)");
      }
      buffer.start++;
    }
  }

  @Override
  public boolean next(RowBatch row) {
    column = NO_COLUMN;
    rows++;
    if (!has(Short.BYTES)) {
      return false;
    }
    int count = (short) ByteSink.getUnsignedShort(buffer.bytes, buffer.start);
    buffer.start += Short.BYTES;
    if (count == -1) {
      if (has(1)) {
        throw malformed("received copy data after EOF marker");
      }
      return false;
    }
    if (count != columns.count()) {
      throw malformed("row field count is %d, expected %d".formatted(count, columns.count()));
    }
    for (int i = 0; i < count; i++) {
      column = i;
      readField(row, i);
    }
    column = NO_COLUMN;
    return true;
  }

  private void readField(RowBatch row, int i) {
    if (!has(Integer.BYTES)) {
      throw unexpectedEnd();
    }
    int size = takeInt();
    if (size == -1) {
      columns.setNull(row, i);
      return;
    }
    if (size < 0) {
      throw malformed("invalid field size");
    }
    if (!has(size)) {
      throw unexpectedEnd();
    }
    try {
      columns.readBinary(row, i, buffer.bytes, buffer.start, size);
    } catch (GaussException e) {
      throw e.state() == SqlState.INVALID_BINARY_REPRESENTATION ? wrongFormat(e) : e;
    }
    buffer.start += size;
  }

  /** The context gives the value's type here. */
  private static GaussException wrongFormat(GaussException e) {
    return e.getMessage().startsWith(WRONG_FORMAT)
        ? new GaussException(SqlState.INVALID_BINARY_REPRESENTATION, WRONG_FORMAT, e)
        : e;
  }

  private static GaussException unexpectedEnd() {
    return malformed("unexpected EOF in COPY data");
  }

  @Override
  public String context() {
    return column == NO_COLUMN
        ? lineContext()
        : "%s, column %s".formatted(lineContext(), columns.name(column));
  }

  @Override
  public long line() {
    return rows;
  }
}
