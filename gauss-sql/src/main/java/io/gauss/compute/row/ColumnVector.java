package io.gauss.compute.row;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueKind;
import java.math.BigDecimal;
import java.util.Arrays;

/**
 * One column of a {@link RowBatch}: arrays by {@link ValueKind}, grown on demand. BYTES values lie
 * in {@link #data}, which belongs to the vector: setting copies. Not thread-safe.
 */
public final class ColumnVector {
  public final ValueKind kind;
  public boolean[] nulls = new boolean[INITIAL_ROWS];

  /** LONG; NUMERIC: unscaled value. */
  public long[] longs;

  public double[] doubles;

  /** NUMERIC: scale in bits 0..23, special marker in bits 24..25. */
  public int[] scales;

  /** NUMERIC that is not compact; allocated at the first such value. */
  public BigDecimal[] bigs;

  public byte[] data;
  private LargeArrays.Counted counted; // of data, when it is large
  public int dataLength;
  public int[] offsets;
  public int[] lengths;

  private static final int INITIAL_ROWS = 8;

  /** Of all rows' bytes. Whoever collects rows stops much earlier: {@link RowBatch#isLarge}. */
  private static final int LARGEST = 1 << 28;

  private static final int LARGEST_KEPT = 4 << 20;
  static final int SCALE_MASK = 0xFF_FFFF;
  static final int SPECIAL_SHIFT = 24;

  public ColumnVector(ValueKind kind) {
    this.kind = kind;
    switch (kind) {
      case LONG -> longs = new long[INITIAL_ROWS];
      case DOUBLE -> doubles = new double[INITIAL_ROWS];
      case NUMERIC -> {
        longs = new long[INITIAL_ROWS];
        scales = new int[INITIAL_ROWS];
      }
      case BYTES -> {
        data = new byte[INITIAL_ROWS * 16];
        offsets = new int[INITIAL_ROWS];
        lengths = new int[INITIAL_ROWS];
      }
    }
  }

  public void clear() {
    dataLength = 0;
    if (data != null && data.length > LARGEST_KEPT) {
      data = new byte[INITIAL_ROWS * 16];
      release();
    }
  }

  /** Makes room for row index {@code row}. */
  void ensure(int row) {
    if (row >= nulls.length) {
      int capacity = Math.max(row + 1, nulls.length * 2);
      nulls = Arrays.copyOf(nulls, capacity);
      switch (kind) {
        case LONG -> longs = Arrays.copyOf(longs, capacity);
        case DOUBLE -> doubles = Arrays.copyOf(doubles, capacity);
        case NUMERIC -> {
          longs = Arrays.copyOf(longs, capacity);
          scales = Arrays.copyOf(scales, capacity);
          if (bigs != null) {
            bigs = Arrays.copyOf(bigs, capacity);
          }
        }
        case BYTES -> {
          offsets = Arrays.copyOf(offsets, capacity);
          lengths = Arrays.copyOf(lengths, capacity);
        }
      }
    }
  }

  /**
   * Reserves {@code length} bytes of {@link #data} for a row and returns where they start.
   *
   * @throws GaussException 53200 when the rows' values together are too large
   */
  public int reserveBytes(int row, int length) {
    ensure(row);
    if (data.length - dataLength < length) {
      grow(dataLength + (long) length);
    }
    int start = dataLength;
    nulls[row] = false;
    offsets[row] = start;
    lengths[row] = length;
    dataLength += length;
    return start;
  }

  private void grow(long wanted) {
    checkSize(wanted);
    int size = (int) Math.min(LARGEST, Math.max(wanted, data.length * 2L));
    if (size < LargeArrays.LEAST_COUNTED) {
      data = Arrays.copyOf(data, size);
      return;
    }
    LargeArrays.OF_PROCESS.reserve(size);
    byte[] grown = Arrays.copyOf(data, size);
    release();
    counted = LargeArrays.OF_PROCESS.count(grown);
    data = grown;
  }

  private void release() {
    if (counted != null) {
      counted.release();
      counted = null;
    }
  }

  static void checkSize(long bytes) {
    if (bytes > LARGEST) {
      throw new GaussException(SqlState.OUT_OF_MEMORY, "out of memory")
          .detail("The values of a few rows take more than %d MB.".formatted(LARGEST >> 20));
    }
  }

  /** Like {@link #reserveBytes}, but returns the array; the bytes begin at {@code offsets[row]}. */
  byte[] data(int row, int length) {
    reserveBytes(row, length);
    return data;
  }

  public void setNull(int row) {
    ensure(row);
    nulls[row] = true;
  }

  public void setLong(int row, long value) {
    ensure(row);
    nulls[row] = false;
    longs[row] = value;
  }

  public void setDouble(int row, double value) {
    ensure(row);
    nulls[row] = false;
    doubles[row] = value;
  }

  public void setNumeric(int row, long unscaled, int scale) {
    ensure(row);
    nulls[row] = false;
    longs[row] = unscaled;
    scales[row] = scale;
    if (bigs != null) {
      bigs[row] = null;
    }
  }

  /** Stores a value of this vector's kind. */
  public void set(int row, Value value) {
    if (value.isNull) {
      setNull(row);
      return;
    }
    switch (kind) {
      case LONG -> setLong(row, value.l);
      case DOUBLE -> setDouble(row, value.d);
      case NUMERIC -> {
        setNumeric(row, value.l, (value.scale & SCALE_MASK) | (value.special << SPECIAL_SHIFT));
        if (value.big != null) {
          if (bigs == null) {
            bigs = new BigDecimal[nulls.length];
          }
          bigs[row] = value.big;
        }
      }
      case BYTES -> {
        int start = reserveBytes(row, value.len);
        System.arraycopy(value.bytes, value.off, data, start, value.len);
      }
    }
  }

  /** Reads a row's value; BYTES are shared with {@link #data} as it is now. */
  public void get(int row, Value out) {
    if (nulls[row]) {
      out.isNull = true;
      return;
    }
    out.isNull = false;
    switch (kind) {
      case LONG -> out.l = longs[row];
      case DOUBLE -> out.d = doubles[row];
      case NUMERIC -> {
        out.l = longs[row];
        out.scale = scales[row] & SCALE_MASK;
        out.special = scales[row] >>> SPECIAL_SHIFT;
        out.big = bigs == null ? null : bigs[row];
      }
      case BYTES -> {
        out.bytes = data;
        out.off = offsets[row];
        out.len = lengths[row];
      }
    }
  }
}
