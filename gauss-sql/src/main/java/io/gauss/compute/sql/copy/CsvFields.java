package io.gauss.compute.sql.copy;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/** Splits lines of the csv format and resolves their quotes. */
final class CsvFields extends Fields {
  private final byte delimiter;
  private final byte quote;
  private final byte escape;
  private final byte[] nullText;

  CsvFields(CopyOptions options) {
    this.delimiter = options.delimiter();
    this.quote = options.quote();
    this.escape = options.escape();
    this.nullText = options.nullText();
  }

  @Override
  void splitLine(byte[] bytes, int from, int to) {
    int p = from;
    while (true) {
      int start = p;
      while (p < to && bytes[p] != delimiter && bytes[p] != quote) {
        p++;
      }
      if (p < to && bytes[p] == quote) {
        p = resolve(bytes, start, p, to);
      } else if (isEqual(bytes, start, p - start, nullText)) {
        addNull();
      } else {
        add(start, p - start);
      }
      if (p >= to) {
        return;
      }
      p++;
    }
  }

  /**
   * Adds a field with quotes in it, which may begin anywhere; such a field is never NULL.
   *
   * @param p the first quote
   * @return where the field ends
   */
  private int resolve(byte[] bytes, int start, int p, int to) {
    int begin = scratch.length;
    scratch.putBytes(bytes, start, p - start);
    while (p < to && bytes[p] != delimiter) {
      byte c = bytes[p++];
      if (c == quote) {
        p = quoted(bytes, p, to);
      } else {
        scratch.putByte(c);
      }
    }
    addResolved(begin);
    return p;
  }

  private int quoted(byte[] bytes, int p, int to) {
    while (p < to) {
      byte c = bytes[p++];
      if (c == escape && p < to && (bytes[p] == escape || bytes[p] == quote)) {
        scratch.putByte(bytes[p++]);
      } else if (c == quote) {
        return p;
      } else {
        scratch.putByte(c);
      }
    }
    throw new GaussException(SqlState.BAD_COPY_FILE_FORMAT, "unterminated CSV quoted field");
  }
}
