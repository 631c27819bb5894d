package io.gauss.compute.sql.copy;

import io.gauss.compute.row.RowBatch;
import java.nio.charset.StandardCharsets;

/** Reads the rows of a COPY FROM, and gives the position for errors. Belongs to one execution. */
public abstract class CopyRows {
  /** PostgreSQL's MAX_COPY_DATA_DISPLAY. */
  private static final int SHOWN_BYTES = 100;

  private final String table;

  CopyRows(String table) {
    this.table = table;
  }

  /**
   * @param table its name in messages
   */
  public static CopyRows of(
      String table,
      CopyOptions options,
      CopyColumns columns,
      CopyInput input,
      CopyProgress progress) {
    CopyBuffer buffer = new CopyBuffer(input, progress);
    return options.isBinary()
        ? new BinaryRows(table, columns, buffer)
        : new LineRows(table, options, columns, buffer);
  }

  /** Reads the header before the rows, if the format has one. */
  public void begin() {}

  /**
   * Reads the next row into the data's columns of row 0.
   *
   * @return false at the end of the data
   * @throws io.gauss.common.error.GaussException 22P04 when the data is malformed, else the error
   *     of reading a value; {@link #context} gives the position
   */
  public abstract boolean next(RowBatch row);

  /** The position for an error that is raised now: PostgreSQL's CONTEXT. */
  public abstract String context();

  /** As {@link #context}, for an error of a row as such. */
  final String lineContext() {
    return lineContext(line());
  }

  /** As {@link #lineContext()}, for the row of another line. */
  public final String lineContext(long line) {
    return "COPY %s, line %d".formatted(table, line);
  }

  /** The line of the row that was read last, from 1. */
  public abstract long line();

  /** The part of the data that an error quotes. */
  static String shown(byte[] bytes, int from, int length) {
    if (length <= SHOWN_BYTES) {
      return new String(bytes, from, length, StandardCharsets.UTF_8);
    }
    int kept = SHOWN_BYTES;
    while (kept > 0 && (bytes[from + kept] & 0xC0) == 0x80) {
      kept--;
    }
    return new String(bytes, from, kept, StandardCharsets.UTF_8) + "...";
  }
}
