package io.gauss.compute.keys;

import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.DateTimes;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * The first column of a primary key, between the values that drivers see and the bytes of keys.
 * Drivers see integers, points in time as µs since 1970, and strings; so here they are a Long or a
 * String. Immutable.
 */
record LeadingColumn(PgType type) {
  private static final int INT2 = 21;
  private static final int INT4 = 23;
  private static final int INT8 = 20;
  private static final int OID = 26;
  private static final int DATE = 1082;
  private static final int TIMESTAMP = 1114;
  private static final int TIMESTAMPTZ = 1184;
  private static final int TEXT = 25;
  private static final int VARCHAR = 1043;
  private static final int BPCHAR = 1042;
  private static final int NAME = 19;
  private static final int UUID_TYPE = 2950;

  private static final int UUID_BYTES = 16;
  private static final long SIGN = Long.MIN_VALUE;
  private static final long EPOCH_MICROS = DateTimes.UNIX_EPOCH_DAYS * DateTimes.USECS_PER_DAY;

  /** As many as drivers keep of a string. */
  private static final int MAX_CHARS = 64;

  /**
   * A key's first column.
   *
   * @param value Long or String
   * @param isInside whether smaller keys may have the same value
   */
  record Bound(Object value, boolean isInside) {}

  /** Whether keys that begin with this type can be told to drivers. */
  boolean isTold() {
    return isNumber() || isText() || type.oid() == UUID_TYPE;
  }

  boolean isNumber() {
    return width() != 0;
  }

  private boolean isText() {
    return switch (type.oid()) {
      case TEXT, VARCHAR, BPCHAR, NAME -> true;
      default -> false;
    };
  }

  private int width() {
    return switch (type.oid()) {
      case INT2 -> 2;
      case INT4, OID, DATE -> 4;
      case INT8, TIMESTAMP, TIMESTAMPTZ -> 8;
      default -> 0;
    };
  }

  /**
   * The bytes with which keys of a value begin.
   *
   * @param text of the value, numbers in decimal
   * @return null when no key of this type has the value
   */
  byte[] encode(String text) {
    Value value = new Value();
    try {
      if (isNumber()) {
        long number = internal(Long.parseLong(text));
        if (!fits(number)) {
          return null;
        }
        value.setLong(number);
      } else {
        byte[] bytes = type.oid() == UUID_TYPE ? bytes(UUID.fromString(text)) : utf8(text);
        value.setBytes(bytes, 0, bytes.length);
      }
    } catch (IllegalArgumentException e) {
      return null; // drivers send what applications bind, of whatever type
    }
    ByteSink key = new ByteSink();
    KeyCodec.primaryKey(List.of(type)).encodeColumn(0, value, key);
    return Arrays.copyOf(key.array, key.length);
  }

  private boolean fits(long number) {
    return switch (type.oid()) {
      case INT2 -> number == (short) number;
      case INT4, DATE -> number == (int) number;
      case OID -> number >>> Integer.SIZE == 0;
      default -> true;
    };
  }

  private long internal(long told) {
    return switch (type.oid()) {
      case DATE -> Math.floorDiv(told, DateTimes.USECS_PER_DAY) - DateTimes.UNIX_EPOCH_DAYS;
      case TIMESTAMP, TIMESTAMPTZ -> told < SIGN + EPOCH_MICROS ? SIGN : told - EPOCH_MICROS;
      default -> told;
    };
  }

  private long told(long internal) {
    return switch (type.oid()) {
      case DATE ->
          Math.clamp(
                  internal + DateTimes.UNIX_EPOCH_DAYS,
                  Long.MIN_VALUE / DateTimes.USECS_PER_DAY,
                  Long.MAX_VALUE / DateTimes.USECS_PER_DAY)
              * DateTimes.USECS_PER_DAY;
      case TIMESTAMP, TIMESTAMPTZ ->
          internal > Long.MAX_VALUE - EPOCH_MICROS ? Long.MAX_VALUE : internal + EPOCH_MICROS;
      default -> internal;
    };
  }

  private static byte[] bytes(UUID uuid) {
    return ByteBuffer.allocate(UUID_BYTES)
        .putLong(uuid.getMostSignificantBits())
        .putLong(uuid.getLeastSignificantBits())
        .array();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads the first column of a key, or of the beginning of one: separators of leaves are no longer
   * than they need to be, and stand for the least key that begins so.
   *
   * @return null for the empty key, which is below all others
   */
  Bound decode(byte[] key) {
    if (key.length == 0) {
      return null;
    }
    if (isText()) {
      int end = 0;
      while (end < key.length && key[end] != 0) {
        end++;
      }
      String value = new String(whole(key, end), StandardCharsets.UTF_8);
      return new Bound(
          value.length() <= MAX_CHARS ? value : value.substring(0, MAX_CHARS),
          value.length() > MAX_CHARS || key.length > end + 1);
    }
    if (type.oid() == UUID_TYPE) {
      ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOf(key, UUID_BYTES));
      return new Bound(
          new UUID(bytes.getLong(), bytes.getLong()).toString(), key.length > UUID_BYTES);
    }
    int width = width();
    byte[] bytes = Arrays.copyOf(key, width);
    long internal =
        switch (type.oid()) {
          case INT2 -> (short) (ByteBuffer.wrap(bytes).getShort() ^ 0x8000);
          case OID -> Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt());
          case INT4, DATE -> ByteBuffer.wrap(bytes).getInt() ^ Integer.MIN_VALUE;
          default -> ByteBuffer.wrap(bytes).getLong() ^ SIGN;
        };
    return new Bound(told(internal), key.length > width);
  }

  /**
   * The least text that begins with these bytes of UTF-8, of which the last character may be cut
   * off in the middle.
   */
  private static byte[] whole(byte[] bytes, int length) {
    int first = length - 1;
    while (first > 0 && (bytes[first] & 0xC0) == 0x80) {
      first--;
    }
    int lead = length == 0 ? 0 : bytes[first] & 0xFF;
    int needed = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    byte[] whole = Arrays.copyOf(bytes, Math.max(length, first + needed));
    for (int i = length; i < whole.length; i++) {
      // Shorter forms of smaller characters are no UTF-8.
      boolean isSecond = i == first + 1;
      whole[i] = (byte) (isSecond && lead == 0xE0 ? 0xA0 : isSecond && lead == 0xF0 ? 0x90 : 0x80);
    }
    return whole;
  }

  /** No value is higher, but for texts that begin with it. */
  Object highest() {
    return isNumber() ? (Object) Long.MAX_VALUE : "\uFFFF";
  }

  /** The least value above another one. */
  static Object after(Object value) {
    return value instanceof Long number
        ? (Object) (number == Long.MAX_VALUE ? number : number + 1)
        : value + "\0";
  }
}
