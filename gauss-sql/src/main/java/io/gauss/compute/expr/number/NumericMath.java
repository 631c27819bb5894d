package io.gauss.compute.expr.number;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.TypeErrors;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * Exact arithmetic on numerics with PostgreSQL's result scales. Scaled longs stay longs while the
 * result fits; on overflow BigDecimal is used. The rules for scales are those of numeric.c
 * (select_div_scale and others).
 */
public final class NumericMath {
  /** Multiplications by a small number, of some thousand digits at least when it takes long. */
  private static final int STEPS_BETWEEN_CHECKS = 1000;

  private static final int SHORT_BITS = 1 << 14;
  private static final int MIN_SIGNIFICANT_DIGITS = 16;
  private static final int MAX_DISPLAY_SCALE = 1000;
  private static final int MAX_ROUND_SCALE = 2000;
  private static final int GROUP = 4;

  private NumericMath() {}

  public static void add(Value a, Value b, Value out) {
    if ((a.special | b.special) != 0) {
      addSpecial(a, b.special, out);
      return;
    }
    if (a.big == null && b.big == null) {
      if (a.scale == b.scale) {
        long sum = a.l + b.l;
        if (((a.l ^ sum) & (b.l ^ sum)) >= 0) {
          out.setNumeric(sum, a.scale);
          return;
        }
      } else if (addScaled(a.l, a.scale, b.l, b.scale, out)) {
        return;
      }
    }
    setChecked(Numerics.toBig(a).add(Numerics.toBig(b)), out);
  }

  static void subtract(Value a, Value b, Value out) {
    if ((a.special | b.special) != 0) {
      int negated =
          b.special == Numerics.INFINITY
              ? Numerics.MINUS_INFINITY
              : b.special == Numerics.MINUS_INFINITY ? Numerics.INFINITY : b.special;
      addSpecial(a, negated, out);
      return;
    }
    if (a.big == null && b.big == null && b.l != Long.MIN_VALUE) {
      if (a.scale == b.scale) {
        long difference = a.l - b.l;
        if (((a.l ^ b.l) & (a.l ^ difference)) >= 0) {
          out.setNumeric(difference, a.scale);
          return;
        }
      } else if (addScaled(a.l, a.scale, -b.l, b.scale, out)) {
        return;
      }
    }
    setChecked(Numerics.toBig(a).subtract(Numerics.toBig(b)), out);
  }

  private static void addSpecial(Value a, int b, Value out) {
    if (a.special == Numerics.NAN || b == Numerics.NAN) {
      Numerics.setSpecial(out, Numerics.NAN);
    } else if (a.special != 0 && b != 0 && a.special != b) {
      Numerics.setSpecial(out, Numerics.NAN);
    } else {
      Numerics.setSpecial(out, a.special != 0 ? a.special : b);
    }
  }

  /** Adds longs of different scales; false when it does not fit. */
  private static boolean addScaled(long a, int aScale, long b, int bScale, Value out) {
    if (aScale > bScale) {
      return addScaled(b, bScale, a, aScale, out);
    }
    int difference = bScale - aScale;
    if (difference > 18) {
      return false;
    }
    long power = Numerics.power(difference);
    long scaled = a * power;
    if (Math.multiplyHigh(a, power) != scaled >> 63) {
      return false;
    }
    long sum = scaled + b;
    if (((scaled ^ sum) & (b ^ sum)) < 0) {
      return false;
    }
    out.setNumeric(sum, bScale);
    return true;
  }

  private static void setChecked(BigDecimal value, Value out) {
    Numerics.checkRange(value);
    out.setNumeric(
        value.scale() > Numerics.MAX_SCALE
            ? value.setScale(Numerics.MAX_SCALE, RoundingMode.HALF_UP)
            : value);
  }

  static void multiply(Value a, Value b, Value out) {
    if ((a.special | b.special) != 0) {
      int signs = Numerics.signum(a) * Numerics.signum(b);
      boolean nan = a.special == Numerics.NAN || b.special == Numerics.NAN || signs == 0;
      Numerics.setSpecial(
          out, nan ? Numerics.NAN : signs > 0 ? Numerics.INFINITY : Numerics.MINUS_INFINITY);
      return;
    }
    if (a.big == null && b.big == null) {
      long product = a.l * b.l;
      if (Math.multiplyHigh(a.l, b.l) == product >> 63 && a.scale + b.scale <= Numerics.MAX_SCALE) {
        out.setNumeric(product, a.scale + b.scale);
        return;
      }
    }
    setChecked(Numerics.toBig(a).multiply(Numerics.toBig(b)), out);
  }

  public static void divide(Value a, Value b, Value out) {
    if ((a.special | b.special) != 0) {
      divideSpecial(a, b, out);
      return;
    }
    if (Numerics.signum(b) == 0) {
      throw TypeErrors.divisionByZero();
    }
    int scale = divisionScale(a, b);
    if (a.big == null && b.big == null) {
      // a / b at the scale: a * 10^shift / b, if the shifted value fits.
      int shift = scale + b.scale - a.scale;
      if (shift >= 0 && shift <= 18 && b.l != Long.MIN_VALUE) {
        long power = Numerics.power(shift);
        long numerator = a.l * power;
        if (Math.multiplyHigh(a.l, power) == numerator >> 63 && numerator != Long.MIN_VALUE) {
          long quotient = numerator / b.l;
          long rest = Math.abs(numerator - quotient * b.l);
          if (rest >= Math.abs(b.l) - rest) {
            quotient += (a.l ^ b.l) < 0 ? -1 : 1;
          }
          out.setNumeric(quotient, scale);
          return;
        }
      }
    }
    setChecked(Numerics.toBig(a).divide(Numerics.toBig(b), scale, RoundingMode.HALF_UP), out);
  }

  private static void divideSpecial(Value a, Value b, Value out) {
    if (a.special == Numerics.NAN || b.special == Numerics.NAN) {
      Numerics.setSpecial(out, Numerics.NAN);
    } else if (a.special != 0) {
      if (b.special != 0) {
        Numerics.setSpecial(out, Numerics.NAN);
        return;
      }
      int sign = Numerics.signum(b);
      if (sign == 0) {
        throw TypeErrors.divisionByZero();
      }
      Numerics.setSpecial(
          out,
          (sign > 0) == (a.special == Numerics.INFINITY)
              ? Numerics.INFINITY
              : Numerics.MINUS_INFINITY);
    } else {
      out.setNumeric(0, 0);
    }
  }

  /**
   * Position of the first group of four digits: value = d * 10000^weight, 1 &lt;= d &lt; 10000; 0
   * for 0.
   */
  private static int weight(Value value) {
    if (value.big == null) {
      long magnitude = value.l == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(value.l);
      return magnitude == 0
          ? 0
          : Math.floorDiv(ByteSink.digits(magnitude) - 1 - value.scale, GROUP);
    }
    return weight(value.big);
  }

  static int weight(BigDecimal value) {
    return value.signum() == 0 ? 0 : Math.floorDiv(value.precision() - 1 - value.scale(), GROUP);
  }

  /** The first group of four digits. */
  private static int firstGroup(Value value, int weight) {
    if (value.big == null && value.l != Long.MIN_VALUE) {
      long magnitude = Math.abs(value.l);
      if (magnitude == 0) {
        return 0;
      }
      // magnitude / 10^(scale + 4 weight)
      int shift = value.scale + GROUP * weight;
      return (int)
          (shift >= 0 ? magnitude / Numerics.power(shift) : magnitude * Numerics.power(-shift));
    }
    return firstGroup(Numerics.toBig(value), weight);
  }

  static int firstGroup(BigDecimal value, int weight) {
    return value.abs().movePointLeft(GROUP * weight).toBigInteger().intValue();
  }

  /** numeric.c, select_div_scale: at least 16 significant digits. */
  private static int divisionScale(Value a, Value b) {
    int aWeight = weight(a);
    int bWeight = weight(b);
    int quotientWeight = aWeight - bWeight;
    if (firstGroup(a, aWeight) <= firstGroup(b, bWeight)) {
      quotientWeight--;
    }
    int scale = MIN_SIGNIFICANT_DIGITS - quotientWeight * GROUP;
    return displayScale(Math.max(Math.max(scale, a.scale), b.scale));
  }

  static int displayScale(int scale) {
    return Math.min(Math.max(scale, 0), MAX_DISPLAY_SCALE);
  }

  /** The quotient cut to a whole number, as function div. */
  static void divideWhole(Value a, Value b, Value out) {
    if ((a.special | b.special) != 0) {
      divideSpecial(a, b, out);
      return;
    }
    if (Numerics.signum(b) == 0) {
      throw TypeErrors.divisionByZero();
    }
    out.setNumeric(Numerics.toBig(a).divide(Numerics.toBig(b), 0, RoundingMode.DOWN));
  }

  static void remainder(Value a, Value b, Value out) {
    if ((a.special | b.special) != 0) {
      if (a.special == Numerics.NAN || b.special == Numerics.NAN) {
        Numerics.setSpecial(out, Numerics.NAN);
      } else if (a.special != 0) {
        if (b.special == 0 && Numerics.signum(b) == 0) {
          throw TypeErrors.divisionByZero();
        }
        Numerics.setSpecial(out, Numerics.NAN);
      } else {
        out.set(a);
      }
      return;
    }
    if (Numerics.signum(b) == 0) {
      throw TypeErrors.divisionByZero();
    }
    if (a.big == null && b.big == null && a.scale == b.scale) {
      out.setNumeric(a.l % b.l, a.scale);
      return;
    }
    int scale = Math.max(a.scale, b.scale);
    out.setNumeric(
        Numerics.toBig(a).remainder(Numerics.toBig(b)).setScale(scale, RoundingMode.UNNECESSARY));
  }

  static void negate(Value a, Value out) {
    out.set(a);
    if (a.special != 0) {
      if (a.special != Numerics.NAN) {
        out.special = a.special == Numerics.INFINITY ? Numerics.MINUS_INFINITY : Numerics.INFINITY;
      }
    } else if (a.big == null && a.l != Long.MIN_VALUE) {
      out.l = -a.l;
    } else {
      out.setNumeric(Numerics.toBig(a).negate());
    }
  }

  static void abs(Value a, Value out) {
    if (Numerics.signum(a) < 0) {
      negate(a, out);
    } else {
      out.set(a);
    }
  }

  static void sign(Value a, Value out) {
    if (a.special == Numerics.NAN) {
      out.set(a);
    } else {
      out.setNumeric(Numerics.signum(a), 0);
    }
  }

  /** round, trunc, ceil and floor. */
  static void round(Value a, long scale, RoundingMode mode, Value out) {
    out.set(a);
    if (a.special != 0) {
      return;
    }
    int bounded = (int) Math.clamp(scale, (long) -MAX_ROUND_SCALE, (long) MAX_ROUND_SCALE);
    Numerics.round(out, bounded, mode);
    if (out.big != null) {
      Numerics.checkRange(out.big);
    }
  }

  static void trimScale(Value a, Value out) {
    out.set(a);
    if (a.special == 0) {
      Numerics.round(out, minScale(a), RoundingMode.DOWN);
    }
  }

  static int minScale(Value a) {
    return Math.max(
        0, Numerics.signum(a) == 0 ? 0 : Numerics.toBig(a).stripTrailingZeros().scale());
  }

  static void factorial(long n, Runnable longWork, Value out) {
    if (n < 0) {
      throw new GaussException(
          SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "factorial of a negative number is undefined");
    }
    if (n > 32177) {
      throw TypeErrors.numericOverflow();
    }
    BigInteger product = BigInteger.ONE;
    for (long i = 2; i <= n; i++) {
      product = product.multiply(BigInteger.valueOf(i));
      if (i % STEPS_BETWEEN_CHECKS == 0) {
        longWork.run();
      }
    }
    out.setNumeric(new BigDecimal(product));
  }

  static void gcd(Value a, Value b, Runnable longWork, Value out) {
    if ((a.special | b.special) != 0) {
      Numerics.setSpecial(out, Numerics.NAN);
      return;
    }
    int scale = Math.max(a.scale, b.scale);
    BigInteger x = Numerics.toBig(a).setScale(scale).unscaledValue();
    BigInteger y = Numerics.toBig(b).setScale(scale).unscaledValue();
    out.setNumeric(new BigDecimal(gcd(x, y, longWork), scale));
  }

  static void lcm(Value a, Value b, Runnable longWork, Value out) {
    if ((a.special | b.special) != 0) {
      Numerics.setSpecial(out, Numerics.NAN);
      return;
    }
    int scale = Math.max(a.scale, b.scale);
    BigInteger x = Numerics.toBig(a).setScale(scale).unscaledValue();
    BigInteger y = Numerics.toBig(b).setScale(scale).unscaledValue();
    if (x.signum() == 0 || y.signum() == 0) {
      out.setNumeric(new BigDecimal(BigInteger.ZERO, scale));
      return;
    }
    setChecked(new BigDecimal(x.divide(gcd(x, y, longWork)).multiply(y).abs(), scale), out);
  }

  /** Quadratic in the length, like the JDK's, which takes seconds for the longest numerics. */
  private static BigInteger gcd(BigInteger a, BigInteger b, Runnable longWork) {
    BigInteger x = a;
    BigInteger y = b;
    for (int i = 1; y.bitLength() > SHORT_BITS; i++) {
      BigInteger rest = x.mod(y.abs());
      x = y;
      y = rest;
      if (i % STEPS_BETWEEN_CHECKS == 0) {
        longWork.run();
      }
    }
    return x.gcd(y);
  }
}
