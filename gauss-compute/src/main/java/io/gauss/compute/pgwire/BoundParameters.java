package io.gauss.compute.pgwire;

import io.gauss.compute.session.message.MessageReader;
import io.gauss.compute.type.PgType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Parameters of a Bind message as far as routing can use them, read without planning the statement:
 * whole numbers, floating-point numbers, text and points in time. A value that is not understood or
 * does not fit its type is null: running the statement reports the error.
 */
final class BoundParameters {
  private static final int MOST = 64;
  private static final int MOST_BYTES = 256;
  private static final int LONGEST_NUMBER = 18;
  private static final long MICROS_FROM_1970_TO_2000 = 946_684_800_000_000L;
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  private static final int INT8 = PgType.INT8.oid();
  private static final int INT4 = PgType.INT4.oid();
  private static final int INT2 = PgType.INT2.oid();
  private static final int FLOAT8 = PgType.FLOAT8.oid();
  private static final int FLOAT4 = PgType.FLOAT4.oid();
  private static final int TEXT = PgType.TEXT.oid();
  private static final int VARCHAR = PgType.VARCHAR.oid();
  private static final int BPCHAR = PgType.BPCHAR.oid();
  private static final int DATE = PgType.DATE.oid();
  private static final int TIMESTAMP = PgType.TIMESTAMP.oid();
  private static final int TIMESTAMPTZ = PgType.TIMESTAMPTZ.oid();

  private BoundParameters() {}

  /**
   * Reads the part after the names.
   *
   * @param types by parameter; 0 and those that are missing = not known
   * @throws io.gauss.common.error.GaussException 08P01 when the message is malformed
   */
  static List<Object> read(MessageReader message, int[] types) {
    int[] formats = new int[message.readUnsignedShort()];
    for (int i = 0; i < formats.length; i++) {
      formats[i] = message.readShort();
    }
    int count = message.readUnsignedShort();
    List<Object> values = new ArrayList<>(Math.min(count, MOST));
    for (int i = 0; i < count; i++) {
      int length = message.readInt();
      if (length < 0) {
        values.add(null);
        continue;
      }
      int at = message.position();
      message.skip(length);
      int format = formats.length == 0 ? 0 : formats[Math.min(i, formats.length - 1)];
      int type = i < types.length ? types[i] : 0;
      if (i < MOST) {
        values.add(
            format == 1
                ? binary(message.array(), at, length, type)
                : text(message.array(), at, length, type));
      }
    }
    return values;
  }

  private static Object binary(byte[] bytes, int at, int length, int type) {
    if (type == TEXT || type == VARCHAR || type == BPCHAR) {
      return string(bytes, at, length);
    }
    if (length != 2 && length != 4 && length != 8) {
      return null;
    }
    long bits = bytes[at]; // with its sign
    for (int i = 1; i < length; i++) {
      bits = bits << 8 | bytes[at + i] & 0xFF;
    }
    if (type == INT8 || type == INT4 || type == INT2) {
      return bits;
    }
    if (type == FLOAT8 && length == Long.BYTES) {
      return Double.longBitsToDouble(bits);
    }
    if (type == FLOAT4 && length == Integer.BYTES) {
      return (double) Float.intBitsToFloat((int) bits);
    }
    if (type == DATE) {
      return bits * MICROS_PER_DAY + MICROS_FROM_1970_TO_2000;
    }
    return type == TIMESTAMP || type == TIMESTAMPTZ
        ? (Object) (bits + MICROS_FROM_1970_TO_2000)
        : null;
  }

  private static Object text(byte[] bytes, int at, int length, int type) {
    if (type == DATE || type == TIMESTAMP || type == TIMESTAMPTZ) {
      return null;
    }
    boolean isText = type == TEXT || type == VARCHAR || type == BPCHAR;
    if (!isText && isWholeNumber(bytes, at, length)) {
      return Long.parseLong(string(bytes, at, length));
    }
    if (type == FLOAT8 || type == FLOAT4) {
      try {
        return Double.parseDouble(string(bytes, at, length));
      } catch (NumberFormatException e) {
        return null; // running the statement reports the error
      }
    }
    return isText || type == 0 ? string(bytes, at, length) : null;
  }

  private static boolean isWholeNumber(byte[] bytes, int at, int length) {
    int from = length > 1 && bytes[at] == '-' ? 1 : 0;
    if (length == from || length > LONGEST_NUMBER) {
      return false;
    }
    for (int i = from; i < length; i++) {
      if (bytes[at + i] < '0' || bytes[at + i] > '9') {
        return false;
      }
    }
    return true;
  }

  private static String string(byte[] bytes, int at, int length) {
    return new String(bytes, at, Math.min(length, MOST_BYTES), StandardCharsets.UTF_8);
  }
}
