package io.gauss.compute.sql.exec.row;

import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.ValueKind;
import java.math.BigDecimal;

/** Creates batches and moves rows between and within them. */
public final class Rows {
  private Rows() {}

  public static RowBatch batch(PgType[] types) {
    ColumnVector[] columns = new ColumnVector[types.length];
    for (int i = 0; i < types.length; i++) {
      columns[i] = new ColumnVector(types[i].kind());
    }
    return new RowBatch(columns);
  }

  /** Copies a whole row; the column kinds must agree. */
  public static void copy(RowBatch from, int row, RowBatch to, int toRow) {
    copy(from, row, to, toRow, 0);
  }

  /** Copies a row's columns to the target's columns from {@code firstColumn} on. */
  public static void copy(RowBatch from, int row, RowBatch to, int toRow, int firstColumn) {
    ColumnVector[] source = from.columns;
    for (int i = 0; i < source.length; i++) {
      copy(source[i], row, to.columns[firstColumn + i], toRow);
    }
  }

  public static void copy(ColumnVector from, int row, ColumnVector to, int toRow) {
    if (from.nulls[row]) {
      to.setNull(toRow);
      return;
    }
    switch (from.kind) {
      case LONG -> to.setLong(toRow, from.longs[row]);
      case DOUBLE -> to.setDouble(toRow, from.doubles[row]);
      case NUMERIC -> {
        to.setNumeric(toRow, from.longs[row], from.scales[row]);
        copyBig(from, row, to, toRow);
      }
      case BYTES -> {
        int length = from.lengths[row];
        int start = to.reserveBytes(toRow, length);
        System.arraycopy(from.data, from.offsets[row], to.data, start, length);
      }
    }
  }

  private static void copyBig(ColumnVector from, int row, ColumnVector to, int toRow) {
    if (from.bigs != null && row < from.bigs.length && from.bigs[row] != null) {
      if (to.bigs == null || to.bigs.length <= toRow) {
        BigDecimal[] grown = new BigDecimal[to.nulls.length];
        if (to.bigs != null) {
          System.arraycopy(to.bigs, 0, grown, 0, to.bigs.length);
        }
        to.bigs = grown;
      }
      to.bigs[toRow] = from.bigs[row];
    }
  }

  public static void setNulls(RowBatch batch, int row, int firstColumn, int count) {
    for (int i = 0; i < count; i++) {
      batch.columns[firstColumn + i].setNull(row);
    }
  }

  /** Moves a row to a smaller index of the same batch; bytes stay where they are. */
  public static void moveDown(RowBatch batch, int row, int toRow) {
    if (row == toRow) {
      return;
    }
    for (ColumnVector column : batch.columns) {
      boolean isNull = column.nulls[row];
      column.nulls[toRow] = isNull;
      if (isNull) {
        continue;
      }
      switch (column.kind) {
        case LONG -> column.longs[toRow] = column.longs[row];
        case DOUBLE -> column.doubles[toRow] = column.doubles[row];
        case NUMERIC -> {
          column.longs[toRow] = column.longs[row];
          column.scales[toRow] = column.scales[row];
          if (column.bigs != null) {
            column.bigs[toRow] = column.bigs[row];
          }
        }
        case BYTES -> {
          column.offsets[toRow] = column.offsets[row];
          column.lengths[toRow] = column.lengths[row];
        }
      }
    }
  }

  /** Drops the first rows of a batch. */
  public static void dropFirst(RowBatch batch, int count) {
    for (int row = count; row < batch.size; row++) {
      moveDown(batch, row, row - count);
    }
    batch.size -= count;
  }

  /** Frees the bytes of the row written last, when it is not to be kept. */
  public static void discard(RowBatch batch, int row) {
    for (ColumnVector column : batch.columns) {
      if (column.kind == ValueKind.BYTES && !column.nulls[row]) {
        column.dataLength = column.offsets[row];
      }
    }
  }
}
