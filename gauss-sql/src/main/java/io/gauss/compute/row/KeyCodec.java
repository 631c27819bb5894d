package io.gauss.compute.row;

import io.gauss.compute.row.RowLayout.Storage;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Interval;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Utf8;
import io.gauss.compute.type.Value;
import java.util.List;

/**
 * Index keys as bytes whose unsigned order (memcmp) is the order of the columns. Immutable and
 * shared. No value's bytes are a prefix of another value's, so keys of the first k columns are
 * prefixes of whole keys and can bound ranges.
 *
 * <pre>
 * column of an index    1 byte: 00 NULL that sorts first, 01 a value follows, 02 NULL that sorts last
 * column of a primary key has no such byte
 *
 * boolean               1 byte
 * integers, date, time, timestamps, oid   2, 4 or 8 bytes big-endian, sign bit turned
 * real, double          4 or 8 bytes: bits, sign bit turned when positive, all bits when negative; -0 is 0, NaN is FF..FF
 * numeric               see {@link NumericKeys}; equal values of different scale have the same bytes
 * text, varchar, name, "char", json   bytes, 00
 * char(n)               bytes without trailing blanks, 00
 * bytea                 bytes with 00 as 00 FF, then 00 00
 * arrays                01 and the element, or 02 for NULL, for each; then 00 and the first subscript (4 bytes)
 * uuid                  16 bytes
 * jsonb                 see {@link JsonbKeys}; equal values have the same bytes
 * interval              whole days 8 bytes, rest in µs 8 bytes (a month is 30 days)
 * </pre>
 *
 * <p>The bytes of a value in a DESC column are inverted. The byte for NULL is not, since NULLS
 * FIRST and LAST are specified separately.
 */
public final class KeyCodec {
  private static final int NULL_FIRST = 0;
  private static final int VALUE = 1;
  private static final int NULL_LAST = 2;
  private static final long SIGN = 0x8000_0000_0000_0000L;

  private final PgType[] types;
  private final Storage[] storage;
  private final boolean[] descending;
  private final boolean[] nullsFirst;
  private final boolean marked;

  private KeyCodec(List<PgType> types, boolean[] descending, boolean[] nullsFirst, boolean marked) {
    this.types = types.toArray(PgType[]::new);
    this.storage = types.stream().map(RowLayout::storageOf).toArray(Storage[]::new);
    this.descending = descending.clone();
    this.nullsFirst = nullsFirst.clone();
    this.marked = marked;
  }

  /** Keys of a primary key: ascending, never NULL. */
  public static KeyCodec primaryKey(List<PgType> types) {
    boolean[] no = new boolean[types.size()];
    return new KeyCodec(types, no, no, false);
  }

  /** Keys of a secondary index. */
  public static KeyCodec index(List<PgType> types, boolean[] descending, boolean[] nullsFirst) {
    return new KeyCodec(types, descending, nullsFirst, true);
  }

  public boolean descending(int column) {
    return descending[column];
  }

  public boolean nullsFirst(int column) {
    return nullsFirst[column];
  }

  /** Appends the first {@code count} columns; fewer than all make a prefix for ranges. */
  public void encode(Value[] values, int count, ByteSink out) {
    for (int i = 0; i < count; i++) {
      encodeColumn(i, values[i], out);
    }
  }

  public void encode(Value[] values, ByteSink out) {
    encode(values, types.length, out);
  }

  /** Appends one column: the value has the column's type. */
  public void encodeColumn(int column, Value value, ByteSink out) {
    if (value.isNull) {
      encodeNull(column, out);
      return;
    }
    if (marked) {
      out.putByte(VALUE);
    }
    int start = out.length;
    encodeValue(types[column], storage[column], value, out);
    if (descending[column]) {
      byte[] a = out.array;
      for (int i = start; i < out.length; i++) {
        a[i] = (byte) ~a[i];
      }
    }
  }

  /** Whether keys may hold NULLs: those of indexes may, primary keys not. */
  public boolean mayBeNull() {
    return marked;
  }

  /** Appends NULL, for IS NULL and as a bound between NULLs and values. */
  public void encodeNull(int column, ByteSink out) {
    if (!marked) {
      throw new IllegalStateException("NULL in a primary key");
    }
    out.putByte(nullsFirst[column] ? NULL_FIRST : NULL_LAST);
  }

  /**
   * Turns a prefix in [from, length) into the smallest key above all keys with that prefix: the low
   * end of a range that excludes them. False when there is no such key; the sink is then cut to
   * {@code from}.
   */
  public static boolean successor(int from, ByteSink sink) {
    while (sink.length > from) {
      if (sink.array[sink.length - 1] != (byte) 0xFF) {
        sink.array[sink.length - 1]++;
        return true;
      }
      sink.length--;
    }
    return false;
  }

  private static void encodeValue(PgType type, Storage storage, Value value, ByteSink out) {
    switch (type.kind()) {
      case LONG -> encodeLong(storage, value.l, out);
      case DOUBLE -> encodeDouble(type, value.d, out);
      case NUMERIC -> NumericKeys.encode(value, out);
      case BYTES -> encodeBytes(type, value, out);
    }
  }

  private static void encodeLong(Storage storage, long value, ByteSink out) {
    switch (storage) {
      case BYTE -> out.putByte((int) value);
      case SHORT -> out.putShort((int) value ^ 0x8000);
      case INT -> out.putInt((int) value ^ 0x8000_0000);
      case UNSIGNED_INT -> out.putInt((int) value);
      default -> out.putLong(value ^ SIGN);
    }
  }

  private static void encodeDouble(PgType type, double value, ByteSink out) {
    if (type.is(PgType.FLOAT4)) {
      int bits = Float.floatToIntBits(value == 0 ? 0f : (float) value);
      out.putInt(Double.isNaN(value) ? -1 : bits < 0 ? ~bits : bits ^ 0x8000_0000);
    } else {
      long bits = Double.doubleToLongBits(value == 0 ? 0d : value);
      out.putLong(Double.isNaN(value) ? -1 : bits < 0 ? ~bits : bits ^ SIGN);
    }
  }

  private static void encodeArray(PgType element, Value value, ByteSink out) {
    ArrayReader reader = new ArrayReader(value);
    TypeCodec codec = TypeCodec.of(element);
    Storage storage = RowLayout.storageOf(element);
    Value item = new Value();
    for (int i = 0; i < reader.size(); i++) {
      reader.next(codec, item);
      out.putByte(item.isNull ? NULL_LAST : VALUE);
      if (!item.isNull) {
        encodeValue(element, storage, item, out);
      }
    }
    out.putByte(0);
    out.putInt(reader.lowerBound() ^ 0x8000_0000);
  }

  private static void encodeBytes(PgType type, Value value, ByteSink out) {
    if (type.isArray()) {
      encodeArray(type.element(), value, out);
      return;
    }
    switch (type.oid()) {
      case 25, 1043, 19, 18, 705, 114 -> {
        out.putBytes(value.bytes, value.off, value.len);
        out.putByte(0);
      }
      case 1042 -> {
        out.putBytes(value.bytes, value.off, Utf8.trimmedLength(value.bytes, value.off, value.len));
        out.putByte(0);
      }
      case 3802 -> JsonbKeys.encode(value, out);
      case 2950 -> out.putBytes(value.bytes, value.off, 16);
      case 1186 -> {
        out.putLong(Interval.wholeDays(value) ^ SIGN);
        out.putLong(Interval.restMicros(value));
      }
      default -> {
        for (int i = value.off; i < value.off + value.len; i++) {
          out.putByte(value.bytes[i]);
          if (value.bytes[i] == 0) {
            out.putByte(0xFF);
          }
        }
        out.putByte(0);
        out.putByte(0);
      }
    }
  }
}
