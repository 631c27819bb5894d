package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** numeric: text, and PostgreSQL's binary form of base-10000 digits. */
final class NumericCodec extends TypeCodec {
  private static final int SIGN_NEGATIVE = 0x4000;
  private static final int SIGN_NAN = 0xC000;
  private static final int SIGN_INFINITY = 0xD000;
  private static final int SIGN_MINUS_INFINITY = 0xF000;
  private static final int GROUP = 4;
  private static final int BASE = 10_000;

  /** Groups of binary form whose number fits a long. */
  private static final int COMPACT_GROUPS = 4;

  private static final int HEADER_BYTES = 8;

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    if (value.special != 0) {
      out.putString(value.special == 1 ? "NaN" : value.special == 2 ? "Infinity" : "-Infinity");
    } else if (value.big != null) {
      out.putString(value.big.toPlainString());
    } else {
      out.putScaled(value.l, value.scale);
    }
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    readNumber(from, offset, length, out);
  }

  static void readNumber(byte[] from, int offset, int length, Value out) {
    if (!readCompact(from, offset, length, out)) {
      readAny(from, offset, length, out);
    }
  }

  /** Sign, digits and a point, up to 18 digits: most input. False for any other form. */
  private static boolean readCompact(byte[] from, int offset, int length, Value out) {
    int p = offset;
    int end = offset + length;
    boolean negative = p < end && from[p] == '-';
    if (negative) {
      p++;
    }
    if (end - p > 19 || p == end) {
      return false;
    }
    long value = 0;
    int digits = 0;
    int scale = -1;
    for (; p < end; p++) {
      int c = from[p];
      if (Ascii.isDigit(c)) {
        value = value * 10 + (c - '0');
        digits++;
        if (scale >= 0) {
          scale++;
        }
      } else if (c == '.' && scale < 0) {
        scale = 0;
      } else {
        return false;
      }
    }
    if (digits == 0 || digits > 18) {
      return false;
    }
    out.setNumeric(negative ? -value : value, Math.max(scale, 0));
    return true;
  }

  private static void readAny(byte[] from, int offset, int length, Value out) {
    int start = Ascii.skipSpace(from, offset, offset + length);
    int end = Ascii.trimSpace(from, start, offset + length);
    int n = end - start;
    if (n == 0) {
      throw TypeErrors.invalidSyntax(PgType.NUMERIC, from, offset, length);
    }
    boolean signed = from[start] == '-' || from[start] == '+';
    int word = signed ? start + 1 : start;
    int letters = end - word;
    if (Ascii.equalsIgnoreCase(from, word, letters, "infinity")
        || Ascii.equalsIgnoreCase(from, word, letters, "inf")) {
      Numerics.setSpecial(out, signed && from[start] == '-' ? 3 : 2);
      return;
    }
    if (Ascii.equalsIgnoreCase(from, start, n, "nan")) {
      Numerics.setSpecial(out, 1);
      return;
    }
    int p = word;
    int digits = 0;
    int leadingZeros = 0;
    int fraction = 0;
    boolean point = false;
    for (; p < end; p++) {
      if (Ascii.isDigit(from[p])) {
        leadingZeros += leadingZeros == digits && from[p] == '0' ? 1 : 0;
        digits++;
        fraction += point ? 1 : 0;
      } else if (from[p] == '.' && !point) {
        point = true;
      } else {
        break;
      }
    }
    if (digits == 0) {
      throw TypeErrors.invalidSyntax(PgType.NUMERIC, from, offset, length);
    }
    long exponent = 0;
    int mantissaEnd = p;
    if (p < end && (from[p] == 'e' || from[p] == 'E')) {
      p++;
      boolean negative = p < end && from[p] == '-';
      if (p < end && (from[p] == '-' || from[p] == '+')) {
        p++;
      }
      if (p == end) {
        throw TypeErrors.invalidSyntax(PgType.NUMERIC, from, offset, length);
      }
      for (; p < end && Ascii.isDigit(from[p]); p++) {
        exponent = Math.min(exponent * 10 + (from[p] - '0'), 1L << 40);
      }
      exponent = negative ? -exponent : exponent;
    }
    if (p != end) {
      throw TypeErrors.invalidSyntax(PgType.NUMERIC, from, offset, length);
    }
    if (Math.abs(exponent) >= Integer.MAX_VALUE / 2) {
      throw TypeErrors.numericOverflow();
    }
    long scale = fraction - exponent;
    if (scale > Numerics.MAX_SCALE) {
      throw TypeErrors.numericOverflow();
    }
    int precision = digits - leadingZeros;
    if (precision == 0) {
      out.setNumeric(0, (int) Math.max(0, scale));
      return;
    }
    // Before the digits are converted: both bounds together bound how many there are.
    if (precision - scale > Numerics.MAX_WHOLE_DIGITS) {
      throw TypeErrors.numericOverflow();
    }
    BigInteger unscaled = significant(from, mantissaEnd, precision);
    boolean negative = signed && from[start] == '-';
    out.setNumeric(new BigDecimal(negative ? unscaled.negate() : unscaled, (int) scale));
  }

  /** The last {@code count} digits before the end, without the point. */
  private static BigInteger significant(byte[] from, int end, int count) {
    byte[] digits = new byte[count];
    int at = count;
    for (int p = end - 1; at > 0; p--) {
      if (from[p] != '.') {
        digits[--at] = from[p];
      }
    }
    return DecimalDigits.toBigInteger(digits, 0, count);
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    int header = out.length;
    out.ensure(HEADER_BYTES);
    out.length += HEADER_BYTES;
    if (value.special != 0) {
      int sign =
          value.special == 1 ? SIGN_NAN : value.special == 2 ? SIGN_INFINITY : SIGN_MINUS_INFINITY;
      // PostgreSQL shows a flag bit of its own header as the scale of infinities.
      putHeader(out, header, 0, 0, sign, value.special == 1 ? 0 : 0x20);
      return;
    }
    if (value.big == null && value.scale <= 18 && value.l != Long.MIN_VALUE) {
      writeCompact(value.l, value.scale, header, out);
    } else {
      writeBig(Numerics.toBig(value), header, out);
    }
  }

  private static void putHeader(ByteSink out, int at, int groups, int weight, int sign, int scale) {
    out.setShort(at, groups);
    out.setShort(at + 2, weight);
    out.setShort(at + 4, sign);
    out.setShort(at + 6, scale);
  }

  private static void writeCompact(long value, int scale, int header, ByteSink out) {
    long magnitude = Math.abs(value);
    long whole = magnitude / Numerics.power(scale);
    long fraction = magnitude - whole * Numerics.power(scale);
    int weight = -1;
    if (whole != 0) {
      weight = (ByteSink.digits(whole) - 1) / GROUP;
      for (int i = weight; i >= 0; i--) {
        out.putShort((int) (whole / Numerics.power(i * GROUP) % BASE));
      }
    }
    for (int left = scale; left > 0 && fraction != 0; left -= GROUP) {
      long group;
      if (left >= GROUP) {
        long power = Numerics.power(left - GROUP);
        group = fraction / power;
        fraction -= group * power;
      } else {
        group = fraction * Numerics.power(GROUP - left);
        fraction = 0;
      }
      if (group == 0 && out.length == header + HEADER_BYTES) {
        weight--;
      } else {
        out.putShort((int) group);
      }
    }
    finish(header, weight, value < 0, scale, out);
  }

  private static void writeBig(BigDecimal value, int header, ByteSink out) {
    int scale = value.scale();
    // Pad the fraction to whole groups, so that groups are aligned to the point.
    int padded = (scale + GROUP - 1) / GROUP * GROUP;
    String digits = value.setScale(padded).unscaledValue().abs().toString();
    int first = digits.length() % GROUP;
    int weight = (digits.length() + GROUP - 1) / GROUP - padded / GROUP - 1;
    if (value.signum() != 0) {
      int p = 0;
      for (int take = first == 0 ? GROUP : first; p < digits.length(); take = GROUP) {
        out.putShort(Integer.parseInt(digits, p, p + take, 10));
        p += take;
      }
    }
    finish(header, weight, value.signum() < 0, scale, out);
  }

  /** Removes trailing zero groups and fills in the header. */
  private static void finish(int header, int weight, boolean negative, int scale, ByteSink out) {
    while (out.length > header + HEADER_BYTES
        && out.array[out.length - 1] == 0
        && out.array[out.length - 2] == 0) {
      out.length -= 2;
    }
    int groups = (out.length - header - HEADER_BYTES) / 2;
    putHeader(out, header, groups, groups == 0 ? 0 : weight, negative ? SIGN_NEGATIVE : 0, scale);
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    if (length < HEADER_BYTES) {
      throw new GaussException(SqlState.PROTOCOL_VIOLATION, "insufficient data left in message");
    }
    int groups = ByteSink.getUnsignedShort(from, offset);
    int weight = (short) ByteSink.getUnsignedShort(from, offset + 2);
    int sign = ByteSink.getUnsignedShort(from, offset + 4);
    int scale = ByteSink.getUnsignedShort(from, offset + 6);
    if (length != HEADER_BYTES + groups * 2) {
      throw length < HEADER_BYTES + groups * 2
          ? new GaussException(SqlState.PROTOCOL_VIOLATION, "insufficient data left in message")
          : TypeErrors.badBinary(PgType.NUMERIC);
    }
    if (sign == SIGN_NAN || sign == SIGN_INFINITY || sign == SIGN_MINUS_INFINITY) {
      Numerics.setSpecial(out, sign == SIGN_NAN ? 1 : sign == SIGN_INFINITY ? 2 : 3);
      return;
    }
    if (sign != 0 && sign != SIGN_NEGATIVE) {
      throw new GaussException(
          SqlState.INVALID_BINARY_REPRESENTATION, "invalid sign in external \"numeric\" value");
    }
    if (scale > Numerics.MAX_SCALE) {
      throw new GaussException(
          SqlState.INVALID_BINARY_REPRESENTATION, "invalid scale in external \"numeric\" value");
    }
    for (int i = 0; i < groups; i++) {
      if (group(from, offset, i) >= BASE) {
        throw new GaussException(
            SqlState.INVALID_BINARY_REPRESENTATION, "invalid digit in external \"numeric\" value");
      }
    }
    // Digits after the displayed scale are truncated, as in PostgreSQL: whole groups of them are
    // not converted at all.
    groups = Math.clamp(weight + 1L + (scale + GROUP - 1) / GROUP, 0, groups);
    int groupsScale = (groups - weight - 1) * GROUP;
    long compact = 0;
    BigInteger big = null;
    if (groups <= COMPACT_GROUPS) {
      for (int i = 0; i < groups; i++) {
        compact = compact * BASE + group(from, offset, i);
      }
    } else {
      big = DecimalDigits.toBigInteger(digits(from, offset, groups), 0, groups * GROUP);
    }
    boolean negative = sign == SIGN_NEGATIVE;
    int shift = scale - groupsScale;
    if (big == null && compact == 0) {
      out.setNumeric(0, scale);
    } else if (big == null && shift <= 0 && shift >= -18) {
      long value = compact / Numerics.power(-shift);
      out.setNumeric(negative ? -value : value, scale);
    } else {
      BigDecimal value =
          new BigDecimal(big == null ? BigInteger.valueOf(compact) : big, groupsScale)
              .setScale(scale, RoundingMode.DOWN);
      out.setNumeric(negative ? value.negate() : value);
    }
  }

  private static int group(byte[] from, int offset, int index) {
    return ByteSink.getUnsignedShort(from, offset + HEADER_BYTES + index * 2);
  }

  /** The decimal digits of the first groups. */
  private static byte[] digits(byte[] from, int offset, int groups) {
    byte[] digits = new byte[groups * GROUP];
    for (int i = 0; i < groups; i++) {
      int group = group(from, offset, i);
      for (int at = (i + 1) * GROUP; at > i * GROUP; group /= 10) {
        digits[--at] = (byte) ('0' + group % 10);
      }
    }
    return digits;
  }
}
