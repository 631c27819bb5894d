package io.gauss.compute.sql.copy;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.Arrays;

/**
 * The bytes of a COPY's data that were read and not consumed: the current row and the bytes after
 * it. Grows with the longest row, up to a bound. Belongs to one statement.
 */
final class CopyBuffer {
  static final int INITIAL_BYTES = 64 * 1024;

  /** The limit for a message that brings a value by other ways. */
  static final int ROW_BYTES_MAX = 64 * 1024 * 1024;

  private final CopyInput input;
  private final int rowBytesMax;
  private final CopyProgress progress;

  /** [start, end) are the valid bytes. */
  byte[] bytes = new byte[INITIAL_BYTES];

  /** Start of the current row; {@link #fill} may move it. */
  int start;

  int end;
  private boolean atEnd;

  CopyBuffer(CopyInput input, CopyProgress progress) {
    this(input, progress, ROW_BYTES_MAX);
  }

  CopyBuffer(CopyInput input, CopyProgress progress, int rowBytesMax) {
    this.input = input;
    this.progress = progress;
    this.rowBytesMax = rowBytesMax;
  }

  /**
   * Reads more after {@link #end}; the current row then begins at 0.
   *
   * @return false at the end of the data
   * @throws GaussException 54000 when the current row is too long
   */
  boolean fill() {
    if (atEnd) {
      return false;
    }
    int held = end - start;
    if (start > 0) {
      System.arraycopy(bytes, start, bytes, 0, held);
      start = 0;
      end = held;
    }
    if (end == bytes.length) {
      if (end >= rowBytesMax) {
        throw new GaussException(SqlState.PROGRAM_LIMIT_EXCEEDED, "out of memory")
            .detail("A row of COPY is longer than %d bytes.".formatted(rowBytesMax));
      }
      bytes = Arrays.copyOf(bytes, Math.min(rowBytesMax, bytes.length * 2));
    }
    int count = input.read(bytes, end, bytes.length - end);
    if (count < 0) {
      atEnd = true;
      return false;
    }
    end += count;
    progress.bytes += count;
    return true;
  }

  /** Reads and discards the rest of the data. */
  void drain() {
    while (!atEnd) {
      start = 0;
      end = 0;
      fill();
    }
    start = 0;
    end = 0;
  }
}
