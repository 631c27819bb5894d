package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A growing byte array that codecs append to: wire messages, rows and keys. Owned by a session or
 * plan run and reused; not thread-safe. Multi-byte numbers are big-endian (network order) unless
 * the method says {@code Le}.
 */
public final class ByteSink {
  private static final VarHandle SHORT_BE =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT_BE =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG_BE =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle SHORT_LE =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT_LE =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG_LE =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** As in PostgreSQL's string buffers. */
  private static final int LIMIT = (1 << 30) - 1;

  /** A longer value could be neither stored nor sent, and a few of them would fill the memory. */
  public static final int LARGEST_VALUE = 64 << 20;

  private static final long[] POWERS = new long[19];

  static {
    long power = 1;
    for (int i = 0; i < POWERS.length; i++) {
      POWERS[i] = power;
      power *= 10;
    }
  }

  /** The bytes written so far are [0, length). Changes when it grows. */
  public byte[] array;

  public int length;

  private final int limit;

  public ByteSink() {
    this(256);
  }

  public ByteSink(int capacity) {
    this(capacity, LIMIT);
  }

  /**
   * @param limit most bytes that it can hold
   */
  public ByteSink(int capacity, int limit) {
    array = new byte[capacity];
    this.limit = limit;
  }

  public void clear() {
    length = 0;
  }

  /**
   * Makes room for {@code more} bytes behind {@link #length}.
   *
   * @throws GaussException 54000 when that exceeds the limit
   */
  public void ensure(int more) {
    if (array.length - length < more) {
      grow(length + (long) more);
    }
  }

  private void grow(long wanted) {
    if (wanted > limit) {
      throw new GaussException(SqlState.PROGRAM_LIMIT_EXCEEDED, "out of memory")
          .detail("Cannot hold more than %d bytes.".formatted(limit));
    }
    array = Arrays.copyOf(array, (int) Math.min(limit, Math.max(wanted, array.length * 2L)));
  }

  public void putByte(int value) {
    ensure(1);
    array[length++] = (byte) value;
  }

  public void putShort(int value) {
    ensure(2);
    SHORT_BE.set(array, length, (short) value);
    length += 2;
  }

  public void putInt(int value) {
    ensure(4);
    INT_BE.set(array, length, value);
    length += 4;
  }

  public void putLong(long value) {
    ensure(8);
    LONG_BE.set(array, length, value);
    length += 8;
  }

  public void putShortLe(int value) {
    ensure(2);
    SHORT_LE.set(array, length, (short) value);
    length += 2;
  }

  public void putIntLe(int value) {
    ensure(4);
    INT_LE.set(array, length, value);
    length += 4;
  }

  public void putLongLe(long value) {
    ensure(8);
    LONG_LE.set(array, length, value);
    length += 8;
  }

  /** Overwrites four bytes at a position written before, for lengths known afterwards. */
  public void setInt(int position, int value) {
    INT_BE.set(array, position, value);
  }

  void setShort(int position, int value) {
    SHORT_BE.set(array, position, (short) value);
  }

  public void putBytes(byte[] from, int offset, int count) {
    ensure(count);
    System.arraycopy(from, offset, array, length, count);
    length += count;
  }

  public void putBytes(byte[] from) {
    putBytes(from, 0, from.length);
  }

  public void fill(int value, int count) {
    ensure(count);
    Arrays.fill(array, length, length + count, (byte) value);
    length += count;
  }

  /** Appends text as UTF-8. */
  public void putString(String text) {
    int n = text.length();
    ensure(n);
    for (int i = 0; i < n; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        putBytes(text.substring(i).getBytes(StandardCharsets.UTF_8));
        return;
      }
      array[length++] = (byte) c;
    }
  }

  /** Appends the decimal digits of a number, with a minus sign when negative. */
  void putDecimal(long value) {
    ensure(20);
    if (value < 0) {
      array[length++] = '-';
      if (value == Long.MIN_VALUE) {
        putString("9223372036854775808");
        return;
      }
      value = -value;
    }
    putDigits(value, digits(value));
  }

  /** Appends exactly {@code width} digits of a non-negative number, zero-filled on the left. */
  void putDigits(long value, int width) {
    ensure(width);
    int p = length + width;
    length = p;
    byte[] a = array;
    while (--width >= 0) {
      long q = value / 10;
      a[--p] = (byte) ('0' + (int) (value - q * 10));
      value = q;
    }
  }

  /** Appends {@code unscaled / 10^scale} with exactly {@code scale} digits behind the point. */
  void putScaled(long unscaled, int scale) {
    if (scale == 0) {
      putDecimal(unscaled);
      return;
    }
    if (unscaled == Long.MIN_VALUE || scale > 18) {
      putString(java.math.BigDecimal.valueOf(unscaled, scale).toPlainString());
      return;
    }
    if (unscaled < 0) {
      putByte('-');
      unscaled = -unscaled;
    }
    long power = POWERS[scale];
    long whole = unscaled / power;
    putDigits(whole, digits(whole));
    putByte('.');
    putDigits(unscaled - whole * power, scale);
  }

  /** Number of decimal digits of a non-negative number; 1 for 0. */
  public static int digits(long value) {
    int n = 1;
    while (n < POWERS.length && value >= POWERS[n]) {
      n++;
    }
    return n;
  }

  public byte[] toByteArray() {
    return Arrays.copyOf(array, length);
  }

  @Override
  public String toString() {
    return new String(array, 0, length, StandardCharsets.UTF_8);
  }

  public static int getInt(byte[] from, int offset) {
    return (int) INT_BE.get(from, offset);
  }

  public static long getLong(byte[] from, int offset) {
    return (long) LONG_BE.get(from, offset);
  }

  public static int getIntLe(byte[] from, int offset) {
    return (int) INT_LE.get(from, offset);
  }

  public static long getLongLe(byte[] from, int offset) {
    return (long) LONG_LE.get(from, offset);
  }

  public static int getUnsignedShort(byte[] from, int offset) {
    return (short) SHORT_BE.get(from, offset) & 0xFFFF;
  }

  public static int getUnsignedShortLe(byte[] from, int offset) {
    return (short) SHORT_LE.get(from, offset) & 0xFFFF;
  }

  public static void setShortLe(byte[] to, int offset, int value) {
    SHORT_LE.set(to, offset, (short) value);
  }

  public static void setIntLe(byte[] to, int offset, int value) {
    INT_LE.set(to, offset, value);
  }

  public static void setLongLe(byte[] to, int offset, long value) {
    LONG_LE.set(to, offset, value);
  }
}
