package io.gauss.compute.row;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.memory.Memory;
import io.gauss.compute.row.RowLayout.Storage;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/**
 * Table rows as bytes; the form is in {@link RowLayout}. Immutable and shared by all sessions.
 *
 * <p>Single columns are decoded without touching the others, from off-heap pages or from byte
 * arrays. For rows written when the table had fewer columns, the rest get the {@code missing}
 * values.
 */
public final class RowCodec {
  private final RowLayout layout;
  private final Value[] missing;

  public RowCodec(List<PgType> types) {
    this(types, null);
  }

  /**
   * @param missing by column, the value of rows without the column; an element may be null for
   *     NULL, and so may the array
   */
  public RowCodec(List<PgType> types, Value[] missing) {
    if (types.size() > RowLayout.COUNT_MASK) {
      throw new GaussException(SqlState.TOO_MANY_COLUMNS, "tables can have at most 1600 columns");
    }
    this.layout = new RowLayout(types);
    this.missing = missing == null ? new Value[types.size()] : missing.clone();
  }

  /** Appends the row. Values have the columns' types, numerics the columns' scales. */
  public void encode(Value[] values, ByteSink out) {
    int start = begin(out);
    for (int i = 0; i < layout.columns; i++) {
      if (layout.storage[i].width > 0) {
        putFixed(i, values[i], start, out);
      }
    }
    int ends = beginVariables(out);
    int first = out.length;
    for (int i = 0; i < layout.columns; i++) {
      if (layout.storage[i].width < 0) {
        putVariable(i, values[i], start, out);
        setEnd(ends, layout.place[i], out.length - first, out);
      }
    }
    narrow(start, ends, first, out);
  }

  /**
   * Appends row {@code row} of vectors in column order; {@code scratch} is any value of the
   * caller's.
   */
  public void encode(ColumnVector[] columns, int row, Value scratch, ByteSink out) {
    int start = begin(out);
    for (int i = 0; i < layout.columns; i++) {
      if (layout.storage[i].width > 0) {
        columns[i].get(row, scratch);
        putFixed(i, scratch, start, out);
      }
    }
    int ends = beginVariables(out);
    int first = out.length;
    for (int i = 0; i < layout.columns; i++) {
      if (layout.storage[i].width < 0) {
        columns[i].get(row, scratch);
        putVariable(i, scratch, start, out);
        setEnd(ends, layout.place[i], out.length - first, out);
      }
    }
    narrow(start, ends, first, out);
  }

  private int begin(ByteSink out) {
    int start = out.length;
    out.putByte(RowLayout.VERSION);
    out.putShortLe(layout.columns);
    out.fill(0, RowLayout.nullBytes(layout.columns) + layout.fixedBytes[layout.columns]);
    return start;
  }

  /** Leaves room for wide end offsets; {@link #narrow} removes the part that is not needed. */
  private int beginVariables(ByteSink out) {
    int ends = out.length;
    int bytes = layout.variables[layout.columns] * 4;
    out.ensure(bytes);
    out.length += bytes;
    return ends;
  }

  private static void setEnd(int ends, int index, int end, ByteSink out) {
    ByteSink.setIntLe(out.array, ends + index * 4, end);
  }

  private void narrow(int start, int ends, int first, ByteSink out) {
    int n = layout.variables[layout.columns];
    int size = out.length - first;
    byte[] a = out.array;
    if (size > 0xFFFF) {
      a[start + RowLayout.COUNT + 1] |= (byte) (RowLayout.WIDE >> 8);
      return;
    }
    for (int i = 0; i < n; i++) {
      ByteSink.setShortLe(a, ends + i * 2, ByteSink.getIntLe(a, ends + i * 4));
    }
    System.arraycopy(a, first, a, ends + n * 2, size);
    out.length -= n * 2;
  }

  private static void setNullBit(int column, int start, byte[] a) {
    a[start + RowLayout.NULL_BITS + (column >> 3)] |= (byte) (1 << (column & 7));
  }

  /**
   * Replaces one column's value within an encoded row, without decoding the others. Does nothing
   * when the row's length would change, or the row has fewer columns than the table.
   *
   * @param start where the row begins in {@code out}, which the row fills to its end
   * @return whether the row now has the value
   */
  public boolean patch(ByteSink out, int start, int column, Value value) {
    byte[] a = out.array;
    int header = ByteSink.getUnsignedShortLe(a, start + RowLayout.COUNT);
    if ((header & RowLayout.COUNT_MASK) != layout.columns) {
      return false;
    }
    int bit = start + RowLayout.NULL_BITS + (column >> 3);
    boolean wasNull = (a[bit] >> (column & 7) & 1) != 0;
    int fixed = start + RowLayout.NULL_BITS + RowLayout.nullBytes(layout.columns);
    int width = layout.storage[column].width;
    if (width > 0) {
      a[bit] &= (byte) ~(1 << (column & 7));
      if (value.isNull) {
        Arrays.fill(
            a, fixed + layout.place[column], fixed + layout.place[column] + width, (byte) 0);
      }
      putFixed(column, value, start, out);
      return true;
    }
    if (wasNull || value.isNull || layout.storage[column] != Storage.BYTES) {
      return wasNull && value.isNull;
    }
    boolean wide = (header & RowLayout.WIDE) != 0;
    int ends = fixed + layout.fixedBytes[layout.columns];
    int index = layout.place[column];
    int from = index == 0 ? 0 : end(a, ends, index - 1, wide);
    if (end(a, ends, index, wide) - from != value.len) {
      return false;
    }
    int first = ends + layout.variables[layout.columns] * (wide ? 4 : 2);
    System.arraycopy(value.bytes, value.off, a, first + from, value.len);
    return true;
  }

  private void putFixed(int column, Value value, int start, ByteSink out) {
    byte[] a = out.array;
    if (value.isNull) {
      setNullBit(column, start, a);
      return;
    }
    int at =
        start + RowLayout.NULL_BITS + RowLayout.nullBytes(layout.columns) + layout.place[column];
    switch (layout.storage[column]) {
      case BYTE -> a[at] = (byte) value.l;
      case SHORT -> ByteSink.setShortLe(a, at, (int) value.l);
      case INT, UNSIGNED_INT -> ByteSink.setIntLe(a, at, (int) value.l);
      case LONG -> ByteSink.setLongLe(a, at, value.l);
      case FLOAT -> ByteSink.setIntLe(a, at, Float.floatToRawIntBits((float) value.d));
      case DOUBLE -> ByteSink.setLongLe(a, at, Double.doubleToRawLongBits(value.d));
      case NUMERIC_INT ->
          ByteSink.setIntLe(
              a, at, value.special != 0 ? Integer.MIN_VALUE : (int) unscaled(column, value));
      case NUMERIC_LONG ->
          ByteSink.setLongLe(a, at, value.special != 0 ? Long.MIN_VALUE : unscaled(column, value));
      case BYTES_16 -> System.arraycopy(value.bytes, value.off, a, at, 16);
      case NUMERIC_ANY, BYTES -> throw new IllegalStateException("not of fixed width");
    }
  }

  private long unscaled(int column, Value value) {
    if (value.big == null && value.scale == layout.scale[column]) {
      return value.l;
    }
    return Numerics.toBig(value)
        .setScale(layout.scale[column], java.math.RoundingMode.UNNECESSARY)
        .unscaledValue()
        .longValueExact();
  }

  private void putVariable(int column, Value value, int start, ByteSink out) {
    if (value.isNull) {
      setNullBit(column, start, out.array);
    } else if (layout.storage[column] == Storage.BYTES) {
      out.putBytes(value.bytes, value.off, value.len);
    } else {
      putNumeric(value, out);
    }
  }

  private static void putNumeric(Value value, ByteSink out) {
    out.putByte(value.special);
    if (value.special != 0) {
      return;
    }
    out.putShortLe(value.scale);
    if (value.big != null) {
      out.putBytes(value.big.unscaledValue().toByteArray());
      return;
    }
    int bytes = (64 - Long.numberOfLeadingZeros(value.l ^ value.l >> 63)) / 8 + 1;
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
      out.putByte((int) (value.l >> shift));
    }
  }

  /**
   * Decodes columns of an off-heap row: {@code to[i]} gets column {@code columns[i]} at index
   * {@code row}.
   *
   * @throws GaussException XX001 when the bytes cannot be a row
   */
  public void decode(long address, int length, int[] columns, ColumnVector[] to, int row) {
    int count = header(address, length);
    boolean wide = (count & RowLayout.WIDE) != 0;
    count &= RowLayout.COUNT_MASK;
    for (int i = 0; i < columns.length; i++) {
      decode(address, length, count, wide, columns[i], to[i], row);
    }
  }

  /** Decodes one column of an off-heap row. */
  void decode(long address, int length, int column, ColumnVector to, int row) {
    int count = header(address, length);
    boolean wide = (count & RowLayout.WIDE) != 0;
    decode(address, length, count & RowLayout.COUNT_MASK, wide, column, to, row);
  }

  private int header(long address, int length) {
    if (length < RowLayout.NULL_BITS || Memory.getByte(address) != RowLayout.VERSION) {
      throw corrupt("unknown row version");
    }
    int count = Memory.getUnsignedShort(address + RowLayout.COUNT);
    checkCount(count & RowLayout.COUNT_MASK, (count & RowLayout.WIDE) != 0, length);
    return count;
  }

  private void checkCount(int count, boolean wide, int length) {
    if (count > layout.columns || variablesAt(count, wide) > length) {
      throw corrupt("row of " + length + " bytes with " + count + " columns");
    }
  }

  /** Where the variable values begin. */
  private int variablesAt(int count, boolean wide) {
    return RowLayout.NULL_BITS
        + RowLayout.nullBytes(count)
        + layout.fixedBytes[count]
        + layout.variables[count] * (wide ? 4 : 2);
  }

  private void decode(
      long address, int length, int count, boolean wide, int column, ColumnVector to, int row) {
    if (column >= count) {
      putMissing(column, to, row);
      return;
    }
    long bits = address + RowLayout.NULL_BITS;
    if ((Memory.getByte(bits + (column >> 3)) >> (column & 7) & 1) != 0) {
      to.setNull(row);
      return;
    }
    long fixed = bits + RowLayout.nullBytes(count);
    long at = fixed + layout.place[column];
    switch (layout.storage[column]) {
      case BYTE -> to.setLong(row, Memory.getByte(at));
      case SHORT -> to.setLong(row, Memory.getShort(at));
      case INT -> to.setLong(row, Memory.getInt(at));
      case UNSIGNED_INT -> to.setLong(row, Memory.getInt(at) & 0xFFFF_FFFFL);
      case LONG -> to.setLong(row, Memory.getLong(at));
      case FLOAT -> to.setDouble(row, Float.intBitsToFloat(Memory.getInt(at)));
      case DOUBLE -> to.setDouble(row, Double.longBitsToDouble(Memory.getLong(at)));
      case NUMERIC_INT -> {
        int unscaled = Memory.getInt(at);
        putCompact(column, unscaled == Integer.MIN_VALUE, unscaled, to, row);
      }
      case NUMERIC_LONG -> {
        long unscaled = Memory.getLong(at);
        putCompact(column, unscaled == Long.MIN_VALUE, unscaled, to, row);
      }
      case BYTES_16 -> Memory.copyOut(at, to.data(row, 16), to.offsets[row], 16);
      case BYTES, NUMERIC_ANY -> {
        long ends = fixed + layout.fixedBytes[count];
        int index = layout.place[column];
        int from = index == 0 ? 0 : end(ends, index - 1, wide);
        int until = end(ends, index, wide);
        int first = variablesAt(count, wide);
        if (from < 0 || until < from || until > length - first) {
          throw corrupt("column " + (column + 1) + " ends outside of its row");
        }
        int size = until - from;
        if (layout.storage[column] == Storage.BYTES) {
          byte[] data = to.data(row, size);
          Memory.copyOut(address + first + from, data, to.offsets[row], size);
        } else {
          byte[] bytes = new byte[size];
          Memory.copyOut(address + first + from, bytes, 0, size);
          Value value = new Value();
          readNumeric(bytes, 0, size, value);
          to.set(row, value);
        }
      }
    }
  }

  private static int end(long ends, int index, boolean wide) {
    return wide ? Memory.getInt(ends + index * 4L) : Memory.getUnsignedShort(ends + index * 2L);
  }

  private void putCompact(int column, boolean nan, long unscaled, ColumnVector to, int row) {
    to.setNumeric(
        row,
        nan ? 0 : unscaled,
        nan ? Numerics.NAN << ColumnVector.SPECIAL_SHIFT : layout.scale[column]);
  }

  private void putMissing(int column, ColumnVector to, int row) {
    Value value = missing[column];
    if (value == null) {
      to.setNull(row);
    } else {
      to.set(row, value);
    }
  }

  /**
   * Decodes columns of a row in an array: {@code to[i]} gets column {@code columns[i]} at index
   * {@code row}.
   */
  public void decode(
      byte[] bytes,
      int offset,
      int length,
      int[] columns,
      ColumnVector[] to,
      int row,
      Value scratch) {
    for (int i = 0; i < columns.length; i++) {
      decode(bytes, offset, length, columns[i], scratch);
      to[i].set(row, scratch);
    }
  }

  /** Decodes one column of a row in an array; byte values stay in the array. */
  public void decode(byte[] bytes, int offset, int length, int column, Value out) {
    if (length < RowLayout.NULL_BITS || bytes[offset] != RowLayout.VERSION) {
      throw corrupt("unknown row version");
    }
    int header = ByteSink.getUnsignedShortLe(bytes, offset + RowLayout.COUNT);
    boolean wide = (header & RowLayout.WIDE) != 0;
    int count = header & RowLayout.COUNT_MASK;
    checkCount(count, wide, length);
    if (column >= count) {
      if (missing[column] == null) {
        out.setNull();
      } else {
        out.set(missing[column]);
      }
      return;
    }
    int bits = offset + RowLayout.NULL_BITS;
    if ((bytes[bits + (column >> 3)] >> (column & 7) & 1) != 0) {
      out.setNull();
      return;
    }
    int fixed = bits + RowLayout.nullBytes(count);
    int at = fixed + layout.place[column];
    switch (layout.storage[column]) {
      case BYTE -> out.setLong(bytes[at]);
      case SHORT -> out.setLong((short) ByteSink.getUnsignedShortLe(bytes, at));
      case INT -> out.setLong(ByteSink.getIntLe(bytes, at));
      case UNSIGNED_INT -> out.setLong(ByteSink.getIntLe(bytes, at) & 0xFFFF_FFFFL);
      case LONG -> out.setLong(ByteSink.getLongLe(bytes, at));
      case FLOAT -> out.setDouble(Float.intBitsToFloat(ByteSink.getIntLe(bytes, at)));
      case DOUBLE -> out.setDouble(Double.longBitsToDouble(ByteSink.getLongLe(bytes, at)));
      case NUMERIC_INT -> {
        int unscaled = ByteSink.getIntLe(bytes, at);
        setCompact(column, unscaled == Integer.MIN_VALUE, unscaled, out);
      }
      case NUMERIC_LONG -> {
        long unscaled = ByteSink.getLongLe(bytes, at);
        setCompact(column, unscaled == Long.MIN_VALUE, unscaled, out);
      }
      case BYTES_16 -> out.setBytes(bytes, at, 16);
      case BYTES, NUMERIC_ANY -> {
        int ends = fixed + layout.fixedBytes[count];
        int index = layout.place[column];
        int from = index == 0 ? 0 : end(bytes, ends, index - 1, wide);
        int until = end(bytes, ends, index, wide);
        int first = variablesAt(count, wide);
        if (from < 0 || until < from || until > length - first) {
          throw corrupt("column " + (column + 1) + " ends outside of its row");
        }
        if (layout.storage[column] == Storage.BYTES) {
          out.setBytes(bytes, offset + first + from, until - from);
        } else {
          readNumeric(bytes, offset + first + from, until - from, out);
        }
      }
    }
  }

  private static int end(byte[] bytes, int ends, int index, boolean wide) {
    return wide
        ? ByteSink.getIntLe(bytes, ends + index * 4)
        : ByteSink.getUnsignedShortLe(bytes, ends + index * 2);
  }

  private void setCompact(int column, boolean nan, long unscaled, Value out) {
    if (nan) {
      Numerics.setSpecial(out, Numerics.NAN);
    } else {
      out.setNumeric(unscaled, layout.scale[column]);
    }
  }

  private static void readNumeric(byte[] bytes, int offset, int length, Value out) {
    if (length < 1) {
      throw corrupt("empty numeric");
    }
    if (bytes[offset] != 0) {
      Numerics.setSpecial(out, bytes[offset]);
      return;
    }
    int size = length - 3;
    if (size < 1) {
      throw corrupt("numeric of " + length + " bytes");
    }
    int scale = ByteSink.getUnsignedShortLe(bytes, offset + 1);
    if (size <= 8) {
      long unscaled = bytes[offset + 3];
      for (int i = 4; i < length; i++) {
        unscaled = unscaled << 8 | (bytes[offset + i] & 0xFF);
      }
      out.setNumeric(unscaled, scale);
    } else {
      BigInteger unscaled = new BigInteger(Arrays.copyOfRange(bytes, offset + 3, offset + length));
      out.setNumeric(new BigDecimal(unscaled, scale));
    }
  }

  private static GaussException corrupt(String what) {
    return new GaussException(SqlState.DATA_CORRUPTED, "corrupt row: " + what);
  }
}
