package io.gauss.compute.row;

import io.gauss.common.error.GaussException;

/** Rows on their way between operators: typed columns, reused. The row count is {@link #size}. */
public final class RowBatch {
  private static final int LARGE_BYTES = 1 << 20;

  public final ColumnVector[] columns;
  public int size;

  public RowBatch(ColumnVector[] columns) {
    this.columns = columns;
  }

  /** Whether the values take so much memory that no row should be added. */
  public boolean isLarge() {
    for (ColumnVector column : columns) {
      if (column.dataLength > LARGE_BYTES) {
        return true;
      }
    }
    return false;
  }

  /**
   * Checks that the values of all columns do not take too much memory together.
   *
   * @throws GaussException 53200
   */
  public void checkSize() {
    long bytes = 0;
    for (ColumnVector column : columns) {
      bytes += column.dataLength;
    }
    ColumnVector.checkSize(bytes);
  }

  /** Empties the batch; vectors keep their memory, unless it is much. */
  public void clear() {
    size = 0;
    for (ColumnVector column : columns) {
      column.clear();
    }
  }
}
