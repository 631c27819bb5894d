package io.gauss.compute.row;

/** Rows on their way between operators: typed columns, reused. The row count is {@link #size}. */
public final class RowBatch {
  public final ColumnVector[] columns;
  public int size;

  public RowBatch(ColumnVector[] columns) {
    this.columns = columns;
  }

  /** Empties the batch; vectors keep their memory. */
  public void clear() {
    size = 0;
    for (ColumnVector column : columns) {
      column.clear();
    }
  }
}
