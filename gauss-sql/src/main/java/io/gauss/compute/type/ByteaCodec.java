package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.Arrays;

/** bytea: hex and escape text forms. */
final class ByteaCodec extends TypeCodec {
  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
  };

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    if (ctx.byteaHex()) {
      out.putByte('\\');
      out.putByte('x');
      putHex(value.bytes, value.off, value.len, out);
    } else {
      putEscape(value.bytes, value.off, value.len, out);
    }
  }

  static void putHex(byte[] from, int offset, int length, ByteSink out) {
    out.ensure(length * 2);
    byte[] to = out.array;
    int p = out.length;
    for (int i = offset; i < offset + length; i++) {
      to[p++] = HEX[(from[i] >> 4) & 0xF];
      to[p++] = HEX[from[i] & 0xF];
    }
    out.length = p;
  }

  static void putEscape(byte[] from, int offset, int length, ByteSink out) {
    for (int i = offset; i < offset + length; i++) {
      int b = from[i] & 0xFF;
      if (b == '\\') {
        out.putByte('\\');
        out.putByte('\\');
      } else if (b < 0x20 || b > 0x7E) {
        out.putByte('\\');
        out.putByte('0' + (b >> 6));
        out.putByte('0' + (b >> 3 & 7));
        out.putByte('0' + (b & 7));
      } else {
        out.putByte(b);
      }
    }
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    out.putBytes(value.bytes, value.off, value.len);
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    byte[] bytes =
        length >= 2 && from[offset] == '\\' && from[offset + 1] == 'x'
            ? fromHex(from, offset + 2, length - 2)
            : fromEscape(from, offset, length);
    out.setBytes(bytes, 0, bytes.length);
  }

  static byte[] fromHex(byte[] from, int offset, int length) {
    byte[] to = new byte[length / 2 + 1];
    int n = 0;
    int end = offset + length;
    for (int p = offset; p < end; ) {
      if (Ascii.isSpace(from[p])) {
        p++;
        continue;
      }
      int high = hexDigit(from, p, end);
      if (p + 1 == end) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE, "invalid hexadecimal data: odd number of digits");
      }
      to[n++] = (byte) (high << 4 | hexDigit(from, p + 1, end));
      p += 2;
    }
    return Arrays.copyOf(to, n);
  }

  private static int hexDigit(byte[] from, int p, int end) {
    int digit = Character.digit(from[p], 16);
    if (digit < 0) {
      int n = Math.min(Utf8.sequenceLength(from[p]), end - p);
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "invalid hexadecimal digit: \"" + TypeErrors.text(from, p, n) + "\"");
    }
    return digit;
  }

  static byte[] fromEscape(byte[] from, int offset, int length) {
    byte[] to = new byte[length];
    int n = 0;
    int end = offset + length;
    for (int p = offset; p < end; ) {
      if (from[p] != '\\') {
        to[n++] = from[p++];
      } else if (p + 1 < end && from[p + 1] == '\\') {
        to[n++] = '\\';
        p += 2;
      } else if (p + 3 < end
          && from[p + 1] >= '0'
          && from[p + 1] <= '3'
          && isOctal(from[p + 2])
          && isOctal(from[p + 3])) {
        to[n++] =
            (byte) ((from[p + 1] - '0') << 6 | (from[p + 2] - '0') << 3 | (from[p + 3] - '0'));
        p += 4;
      } else {
        throw new GaussException(
            SqlState.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea");
      }
    }
    return Arrays.copyOf(to, n);
  }

  private static boolean isOctal(int c) {
    return c >= '0' && c <= '7';
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    out.setBytes(from, offset, length);
  }
}
