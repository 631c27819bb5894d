package io.gauss.compute.type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * Reads a node of a jsonb value ({@link JsonbLayout}): a whole value, or a part of one. Mutable and
 * reused; it does not own the bytes. Not thread-safe.
 */
public final class JsonbView {
  private byte[] bytes;
  private int offset;
  private int length;
  private JsonbKind kind;

  /** Of a container: elements or fields. */
  private int count;

  private int width;
  private int table;

  public JsonbView() {}

  public JsonbView(Value value) {
    set(value);
  }

  void set(Value value) {
    set(value.bytes, value.off, value.len);
  }

  void set(byte[] from, int at, int size) {
    bytes = from;
    offset = at;
    length = size;
    int end = at + size - 1;
    int tag = from[end];
    kind = JsonbKind.of(tag & JsonbLayout.KIND_MASK);
    count = 0;
    if (kind.isContainer()) {
      width = 1 << (tag >> JsonbLayout.WIDTH_SHIFT & JsonbLayout.WIDTH_MASK);
      count = number(end - width);
      table = end - width - count * width * (kind == JsonbKind.OBJECT ? 2 : 1);
    }
  }

  private int number(int at) {
    return switch (width) {
      case 1 -> bytes[at] & 0xFF;
      case 2 -> ByteSink.getUnsignedShortLe(bytes, at);
      default -> ByteSink.getIntLe(bytes, at);
    };
  }

  public JsonbKind kind() {
    return kind;
  }

  public byte[] bytes() {
    return bytes;
  }

  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  /** Elements of an array, fields of an object; 0 of a scalar. */
  public int count() {
    return count;
  }

  /** Makes the node a value, which shares the bytes. */
  public void get(Value out) {
    out.setBytes(bytes, offset, length);
  }

  /** Bytes of a string's content, which begins at {@link #offset}. */
  public int stringLength() {
    return length - 1;
  }

  public void getNumber(Value out) {
    int scale = 0;
    int digits = length - 1;
    if (kind == JsonbKind.DECIMAL) {
      digits -= JsonbLayout.SCALE_BYTES;
      scale = ByteSink.getUnsignedShort(bytes, offset + digits);
    }
    if (digits <= Long.BYTES) {
      long unscaled = bytes[offset];
      for (int i = 1; i < digits; i++) {
        unscaled = unscaled << 8 | (bytes[offset + i] & 0xFF);
      }
      if (Math.abs(unscaled) < Numerics.power(18) && unscaled != Long.MIN_VALUE) {
        out.setNumeric(unscaled, scale);
      } else {
        out.setNumeric(BigDecimal.valueOf(unscaled, scale));
      }
      return;
    }
    out.setNumeric(new BigDecimal(new BigInteger(bytes, offset, digits), scale));
  }

  // ------------------------------------------------------------------ arrays

  /**
   * @param index from 0, below {@link #count}
   */
  public void element(int index, JsonbView out) {
    int start = index == 0 ? 0 : number(table + (index - 1) * width);
    int end = number(table + index * width);
    out.set(bytes, offset + start, end - start);
  }

  // ------------------------------------------------------------------ objects

  private int fieldStart(int index) {
    return offset + number(table + 2 * index * width);
  }

  private int fieldEnd(int index) {
    return offset + number(table + (2 * index + 1) * width);
  }

  public int nameLength(int index) {
    return nameLengthAt(bytes, fieldStart(index));
  }

  public int nameOffset(int index) {
    int start = fieldStart(index);
    return start + lengthBytes(bytes, start);
  }

  static int nameLengthAt(byte[] bytes, int at) {
    return bytes[at] >= 0 ? bytes[at] : ByteSink.getInt(bytes, at) & ~JsonbLayout.LONG_NAME_FLAG;
  }

  static int lengthBytes(byte[] bytes, int at) {
    return bytes[at] >= 0 ? 1 : JsonbLayout.LONG_NAME_BYTES;
  }

  /** The value of the field at a place in the order of names. */
  public void fieldValue(int index, JsonbView out) {
    int start = fieldStart(index);
    int value = start + lengthBytes(bytes, start) + nameLengthAt(bytes, start);
    out.set(bytes, value, fieldEnd(index) - value);
  }

  /** The place of the field of a name; -1 when there is none. */
  public int find(byte[] name, int at, int size) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int start = fieldStart(middle);
      int nameLength = nameLengthAt(bytes, start);
      int order =
          compareNames(bytes, start + lengthBytes(bytes, start), nameLength, name, at, size);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }

  /** The order of names in an object: the shorter first, then by bytes. */
  static int compareNames(byte[] a, int aAt, int aLength, byte[] b, int bAt, int bLength) {
    return aLength != bLength
        ? Integer.compare(aLength, bLength)
        : Arrays.compareUnsigned(a, aAt, aAt + aLength, b, bAt, bAt + bLength);
  }

  /** Nesting of arrays and objects: 0 for a scalar. */
  int depth() {
    if (count == 0) {
      return kind.isContainer() ? 1 : 0;
    }
    int deepest = 0;
    JsonbView inner = new JsonbView();
    for (int i = 0; i < count; i++) {
      child(i, inner);
      if (inner.kind.isContainer()) {
        deepest = Math.max(deepest, inner.depth());
      }
    }
    return deepest + 1;
  }

  /** An element of an array, or a field's value. */
  public void child(int index, JsonbView out) {
    if (kind == JsonbKind.ARRAY) {
      element(index, out);
    } else {
      fieldValue(index, out);
    }
  }
}
