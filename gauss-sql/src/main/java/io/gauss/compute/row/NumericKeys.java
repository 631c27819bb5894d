package io.gauss.compute.row;

import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;

/**
 * Numerics as bytes in numeric order, the same for equal values of different scale.
 *
 * <pre>
 * 1 byte   10 -Infinity, 20 negative, 30 zero, 40 positive, 50 Infinity, 60 NaN; the rest only for 20 and 40:
 * 3 bytes  e + 2^22, where value = 0.d1 d2 d3 ... * 100^e and the pair d1 of decimal digits is not 00
 * n bytes  each pair + 1, without trailing pairs 00
 * 1 byte   00
 * </pre>
 *
 * <p>For negative values all bytes after the first are inverted.
 */
final class NumericKeys {
  private static final int MINUS_INFINITY = 0x10;
  private static final int NEGATIVE = 0x20;
  private static final int ZERO = 0x30;
  private static final int POSITIVE = 0x40;
  private static final int INFINITY = 0x50;
  private static final int NAN = 0x60;
  private static final int EXPONENT_BIAS = 1 << 22;

  private NumericKeys() {}

  static void encode(Value value, ByteSink out) {
    if (value.special != 0) {
      out.putByte(
          switch (value.special) {
            case Numerics.NAN -> NAN;
            case Numerics.INFINITY -> INFINITY;
            default -> MINUS_INFINITY;
          });
      return;
    }
    int sign = Numerics.signum(value);
    if (sign == 0) {
      out.putByte(ZERO);
      return;
    }
    out.putByte(sign < 0 ? NEGATIVE : POSITIVE);
    int start = out.length;
    if (value.big == null && value.l != Long.MIN_VALUE) {
      putCompact(Math.abs(value.l), value.scale, out);
    } else {
      putBig(Numerics.toBig(value).abs(), out);
    }
    if (sign < 0) {
      byte[] a = out.array;
      for (int i = start; i < out.length; i++) {
        a[i] = (byte) ~a[i];
      }
    }
  }

  /** Exponent base 100 of a number whose first digit stands for 10^(leading - 1). */
  private static int exponent(int leading) {
    return (leading + 1) >> 1;
  }

  private static void putExponent(int exponent, ByteSink out) {
    int biased = exponent + EXPONENT_BIAS;
    out.putByte(biased >> 16);
    out.putByte(biased >> 8);
    out.putByte(biased);
  }

  private static void putCompact(long magnitude, int scale, ByteSink out) {
    int digits = ByteSink.digits(magnitude);
    int leading = digits - scale;
    putExponent(exponent(leading), out);
    // The first pair holds one digit when an odd number of digits stands before the point.
    int take = (leading & 1) != 0 ? 1 : 2;
    long rest = magnitude;
    int left = digits;
    while (rest != 0) {
      long pair;
      if (left >= take) {
        long power = Numerics.power(left - take);
        pair = rest / power;
        rest -= pair * power;
        left -= take;
      } else {
        pair = rest * 10;
        rest = 0;
      }
      out.putByte((int) pair + 1);
      take = 2;
    }
    out.putByte(0);
  }

  private static void putBig(BigDecimal value, ByteSink out) {
    String digits = value.unscaledValue().toString();
    int leading = digits.length() - value.scale();
    putExponent(exponent(leading), out);
    int last = digits.length();
    while (digits.charAt(last - 1) == '0') {
      last--;
    }
    int p = 0;
    int take = (leading & 1) != 0 ? 1 : 2;
    while (p < last) {
      int pair = digits.charAt(p++) - '0';
      if (take == 2) {
        pair = pair * 10 + (p < last ? digits.charAt(p) - '0' : 0);
        p++;
      }
      out.putByte(pair + 1);
      take = 2;
    }
    out.putByte(0);
  }
}
