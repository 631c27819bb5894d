package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Text as UTF-8 bytes: checking, counting and stepping by characters (code points). */
public final class Utf8 {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long HIGH_BITS = 0x8080808080808080L;
  private static final long LOW_BITS = 0x0101010101010101L;

  private Utf8() {}

  /**
   * Checks input from outside: valid UTF-8, no zero byte.
   *
   * @throws GaussException 22021
   */
  public static void check(byte[] bytes, int offset, int length) {
    int p = offset;
    int end = offset + length;
    while (p < end) {
      if (end - p >= 8) {
        long word = (long) LONG.get(bytes, p);
        // All ASCII and no zero byte among the eight.
        if (((word | (word - LOW_BITS)) & HIGH_BITS) == 0) {
          p += 8;
          continue;
        }
      }
      int b = bytes[p];
      if (b > 0) {
        p++;
        continue;
      }
      int n = validSequence(bytes, p, end);
      if (n == 0) {
        throw invalid(bytes, p, end);
      }
      p += n;
    }
  }

  /** Length of the valid multi-byte sequence at p, 0 when there is none. */
  private static int validSequence(byte[] b, int p, int end) {
    int first = b[p] & 0xFF;
    if (first < 0xC2 || first > 0xF4) {
      return 0;
    }
    int n = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (end - p < n) {
      return 0;
    }
    int second = b[p + 1] & 0xFF;
    int low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    int high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (second < low || second > high) {
      return 0;
    }
    for (int i = 2; i < n; i++) {
      if ((b[p + i] & 0xC0) != 0x80) {
        return 0;
      }
    }
    return n;
  }

  private static GaussException invalid(byte[] b, int p, int end) {
    int first = b[p] & 0xFF;
    int n = Math.min(first == 0 ? 1 : sequenceLength(b[p]), end - p);
    StringBuilder text = new StringBuilder("invalid byte sequence for encoding \"UTF8\":");
    for (int i = 0; i < n; i++) {
      text.append(" 0x").append("%02x".formatted(b[p + i] & 0xFF));
    }
    return new GaussException(SqlState.CHARACTER_NOT_IN_REPERTOIRE, text.toString());
  }

  /** Bytes of the character that a first byte begins. */
  public static int sequenceLength(byte first) {
    return first >= 0
        ? 1
        : (first & 0xE0) == 0xC0 ? 2 : (first & 0xF0) == 0xE0 ? 3 : (first & 0xF8) == 0xF0 ? 4 : 1;
  }

  /** Number of characters in valid UTF-8. */
  public static int characters(byte[] bytes, int offset, int length) {
    int n = 0;
    int p = offset;
    int end = offset + length;
    while (end - p >= 8) {
      long word = (long) LONG.get(bytes, p);
      // A byte 10xxxxxx continues a character.
      n += 8 - Long.bitCount((word >>> 7) & (~word >>> 6) & LOW_BITS);
      p += 8;
    }
    for (; p < end; p++) {
      n += (bytes[p] & 0xC0) != 0x80 ? 1 : 0;
    }
    return n;
  }

  /** Whether every byte is ASCII. */
  public static boolean isAscii(byte[] bytes, int offset, int length) {
    int p = offset;
    int end = offset + length;
    while (end - p >= 8) {
      if (((long) LONG.get(bytes, p) & HIGH_BITS) != 0) {
        return false;
      }
      p += 8;
    }
    for (; p < end; p++) {
      if (bytes[p] < 0) {
        return false;
      }
    }
    return true;
  }

  /** Bytes that the first {@code count} characters take; all when there are fewer. */
  public static int prefixBytes(byte[] bytes, int offset, int length, int count) {
    int p = offset;
    int end = offset + length;
    while (count > 0 && p < end) {
      p += sequenceLength(bytes[p]);
      count--;
    }
    return Math.min(p, end) - offset;
  }

  /** Length without trailing blanks. */
  public static int trimmedLength(byte[] bytes, int offset, int length) {
    while (length > 0 && bytes[offset + length - 1] == ' ') {
      length--;
    }
    return length;
  }

  /** The code point at p; valid UTF-8. */
  public static int codePoint(byte[] b, int p) {
    int first = b[p];
    if (first >= 0) {
      return first;
    }
    if ((first & 0xE0) == 0xC0) {
      return (first & 0x1F) << 6 | (b[p + 1] & 0x3F);
    }
    if ((first & 0xF0) == 0xE0) {
      return (first & 0x0F) << 12 | (b[p + 1] & 0x3F) << 6 | (b[p + 2] & 0x3F);
    }
    return (first & 0x07) << 18
        | (b[p + 1] & 0x3F) << 12
        | (b[p + 2] & 0x3F) << 6
        | (b[p + 3] & 0x3F);
  }

  public static void putCodePoint(int c, ByteSink out) {
    if (c < 0x80) {
      out.putByte(c);
    } else if (c < 0x800) {
      out.putByte(0xC0 | c >> 6);
      out.putByte(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      out.putByte(0xE0 | c >> 12);
      out.putByte(0x80 | (c >> 6 & 0x3F));
      out.putByte(0x80 | (c & 0x3F));
    } else {
      out.putByte(0xF0 | c >> 18);
      out.putByte(0x80 | (c >> 12 & 0x3F));
      out.putByte(0x80 | (c >> 6 & 0x3F));
      out.putByte(0x80 | (c & 0x3F));
    }
  }
}
