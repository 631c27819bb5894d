package io.gauss.compute.sql.exec.row;

import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.ValueKind;
import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Rows of a batch as bytes, for hash tables, sorts and spill files of one process. Not a storage
 * format.
 *
 * <p>Per column a marker byte (0 NULL, 1 value, 2 numeric that is not compact) and the value: LONG
 * and DOUBLE 8 bytes; NUMERIC 4 bytes of {@link ColumnVector#scales} and 8 bytes, or 4 bytes of
 * scale, 4 of length and the unscaled value; BYTES 4 bytes of length and the bytes.
 */
public final class RowSerializer {
  private static final int NULL = 0;
  private static final int VALUE = 1;
  private static final int BIG = 2;

  private final ValueKind[] kinds;

  public RowSerializer(PgType[] types) {
    kinds = new ValueKind[types.length];
    for (int i = 0; i < types.length; i++) {
      kinds[i] = types[i].kind();
    }
  }

  public int columns() {
    return kinds.length;
  }

  /** Appends all columns of a row. */
  public void write(RowBatch batch, int row, ByteSink out) {
    for (int i = 0; i < kinds.length; i++) {
      write(batch.columns[i], row, out);
    }
  }

  /** Appends chosen columns of a row, whose kinds are this serializer's. */
  public void write(RowBatch batch, int row, int[] columns, ByteSink out) {
    for (int column : columns) {
      write(batch.columns[column], row, out);
    }
  }

  private static void write(ColumnVector column, int row, ByteSink out) {
    if (column.nulls[row]) {
      out.putByte(NULL);
      return;
    }
    switch (column.kind) {
      case LONG -> {
        out.putByte(VALUE);
        out.putLongLe(column.longs[row]);
      }
      case DOUBLE -> {
        out.putByte(VALUE);
        out.putLongLe(Double.doubleToRawLongBits(column.doubles[row]));
      }
      case NUMERIC -> {
        BigDecimal big = column.bigs == null ? null : column.bigs[row];
        if (big == null) {
          out.putByte(VALUE);
          out.putIntLe(column.scales[row]);
          out.putLongLe(column.longs[row]);
        } else {
          byte[] unscaled = big.unscaledValue().toByteArray();
          out.putByte(BIG);
          out.putIntLe(big.scale());
          out.putIntLe(unscaled.length);
          out.putBytes(unscaled);
        }
      }
      case BYTES -> {
        out.putByte(VALUE);
        out.putIntLe(column.lengths[row]);
        out.putBytes(column.data, column.offsets[row], column.lengths[row]);
      }
    }
  }

  /**
   * Reads a row into the columns of a batch from {@code firstColumn} on.
   *
   * @return the position behind the row
   */
  public int read(byte[] from, int position, RowBatch batch, int row, int firstColumn) {
    int p = position;
    for (int i = 0; i < kinds.length; i++) {
      ColumnVector column = batch.columns[firstColumn + i];
      int marker = from[p++];
      if (marker == NULL) {
        column.setNull(row);
        continue;
      }
      switch (kinds[i]) {
        case LONG -> {
          column.setLong(row, ByteSink.getLongLe(from, p));
          p += 8;
        }
        case DOUBLE -> {
          column.setDouble(row, Double.longBitsToDouble(ByteSink.getLongLe(from, p)));
          p += 8;
        }
        case NUMERIC -> p = readNumeric(from, p, marker, column, row);
        case BYTES -> {
          int length = ByteSink.getIntLe(from, p);
          int start = column.reserveBytes(row, length);
          System.arraycopy(from, p + 4, column.data, start, length);
          p += 4 + length;
        }
      }
    }
    return p;
  }

  private static int readNumeric(byte[] from, int p, int marker, ColumnVector column, int row) {
    int scale = ByteSink.getIntLe(from, p);
    if (marker == VALUE) {
      column.setNumeric(row, ByteSink.getLongLe(from, p + 4), scale);
      return p + 12;
    }
    int length = ByteSink.getIntLe(from, p + 4);
    BigDecimal big = new BigDecimal(new BigInteger(from, p + 8, length), scale);
    column.setNumeric(row, 0, Math.max(scale, 0));
    if (column.bigs == null) {
      column.bigs = new BigDecimal[column.nulls.length];
    }
    column.bigs[row] = big;
    return p + 8 + length;
  }
}
