package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/** Shared by all code that handles numeric values: limits, forms, comparison, rounding. */
public final class Numerics {
  /** Digits before the point that PostgreSQL's numeric can hold. */
  public static final int MAX_WHOLE_DIGITS = 131072;

  /** Digits behind the point that PostgreSQL's numeric can hold. */
  public static final int MAX_SCALE = 16383;

  public static final int FINITE = 0;
  public static final int NAN = 1;
  public static final int INFINITY = 2;
  public static final int MINUS_INFINITY = 3;

  private static final long[] POWERS = new long[19];

  static {
    long power = 1;
    for (int i = 0; i < POWERS.length; i++) {
      POWERS[i] = power;
      power *= 10;
    }
  }

  private Numerics() {}

  /** 10 to the n, for n from 0 to 18. */
  public static long power(int n) {
    return POWERS[n];
  }

  public static void setSpecial(Value out, int special) {
    out.setNumeric(0, 0);
    out.special = special;
  }

  /**
   * Reads a finite number as numeric's input does: in less than quadratic time, and never more
   * digits than a numeric can have.
   *
   * @throws GaussException 22003 when there are more
   */
  public static BigDecimal parse(String plain) {
    byte[] bytes = plain.getBytes(StandardCharsets.ISO_8859_1);
    Value value = new Value();
    NumericCodec.readNumber(bytes, 0, bytes.length, value);
    return toBig(value);
  }

  /** The finite value as a BigDecimal of the same scale. */
  public static BigDecimal toBig(Value value) {
    return value.big != null ? value.big : BigDecimal.valueOf(value.l, value.scale);
  }

  public static boolean isNaN(Value value) {
    return value.special == NAN;
  }

  /** -1, 0 or 1; NaN counts as positive. */
  public static int signum(Value value) {
    if (value.special != 0) {
      return value.special == MINUS_INFINITY ? -1 : 1;
    }
    return value.big != null ? value.big.signum() : Long.signum(value.l);
  }

  /** PostgreSQL's order: numbers, Infinity, then NaN, which equals itself. */
  public static int compare(Value a, Value b) {
    if ((a.special | b.special) == 0 && a.big == null && b.big == null) {
      if (a.scale == b.scale) {
        return Long.compare(a.l, b.l);
      }
      return compareCompact(a.l, a.scale, b.l, b.scale);
    }
    if ((a.special | b.special) != 0) {
      return Integer.compare(rank(a.special), rank(b.special));
    }
    return toBig(a).compareTo(toBig(b));
  }

  private static int rank(int special) {
    return switch (special) {
      case MINUS_INFINITY -> -1;
      case FINITE -> 0;
      case INFINITY -> 1;
      default -> 2;
    };
  }

  /** Compares two scaled longs. */
  static int compareCompact(long a, int aScale, long b, int bScale) {
    int difference = aScale - bScale;
    if (difference < 0) {
      return -compareCompact(b, bScale, a, aScale);
    }
    if (difference <= 18) {
      long power = POWERS[difference];
      long high = Math.multiplyHigh(b, power);
      long low = b * power;
      if (high == low >> 63) {
        return Long.compare(a, low);
      }
      return high < 0 ? 1 : -1;
    }
    return BigDecimal.valueOf(a, aScale).compareTo(BigDecimal.valueOf(b, bScale));
  }

  /** Hash that is the same for equal values of any scale. */
  static int hash(Value value) {
    if (value.special != 0) {
      return value.special;
    }
    if (value.big == null) {
      long unscaled = value.l;
      int scale = value.scale;
      while (scale > 0 && unscaled % 10 == 0) {
        unscaled /= 10;
        scale--;
        if (unscaled == 0) {
          return 0;
        }
      }
      return Long.hashCode(unscaled) * 31 + scale;
    }
    BigDecimal plain = value.big.stripTrailingZeros();
    if (plain.scale() < 0) {
      plain = plain.setScale(0);
    }
    if (plain.precision() <= 18) {
      return Long.hashCode(plain.unscaledValue().longValue()) * 31 + plain.scale();
    }
    return plain.hashCode();
  }

  /**
   * Rounds half away from zero to a scale, in place.
   *
   * @param scale digits behind the point to keep; may be negative. The scale shown is never
   *     negative.
   */
  public static void round(Value value, int scale, RoundingMode mode) {
    if (value.special != 0 || (value.scale == scale)) {
      return;
    }
    if (value.big == null && scale >= 0) {
      int difference = scale - value.scale;
      if (difference > 0) {
        if (difference <= 18) {
          long power = POWERS[difference];
          long product = value.l * power;
          if (Math.multiplyHigh(value.l, power) == product >> 63) {
            value.l = product;
            value.scale = scale;
            return;
          }
        }
      } else if (difference >= -18) {
        long power = POWERS[-difference];
        long quotient = value.l / power;
        long rest = value.l - quotient * power;
        if (mode == RoundingMode.HALF_UP && Math.abs(rest) >= power - Math.abs(rest)) {
          quotient += Long.signum(value.l);
        } else if (mode == RoundingMode.FLOOR && rest < 0) {
          quotient--;
        } else if (mode == RoundingMode.CEILING && rest > 0) {
          quotient++;
        }
        value.l = quotient;
        value.scale = scale;
        return;
      }
    }
    value.setNumeric(toBig(value).setScale(scale, mode));
  }

  /**
   * Converts a value to numeric(p,s): rounds, and checks the number of digits before the point.
   *
   * @throws GaussException 22003 numeric field overflow
   */
  public static void applyModifier(Value value, PgType type) {
    if (type.typmod() < 0 || value.special == NAN) {
      return;
    }
    int precision = type.precision();
    int scale = type.scale();
    if (value.special != 0) {
      throw fieldOverflow()
          .detail(
              "A field with precision "
                  + precision
                  + ", scale "
                  + scale
                  + " cannot hold an infinite value.");
    }
    round(value, scale, RoundingMode.HALF_UP);
    boolean fits;
    if (value.big == null && precision <= 18 && scale >= 0) {
      fits = Math.abs(value.l) < POWERS[precision] && value.l != Long.MIN_VALUE;
    } else {
      BigDecimal big = toBig(value);
      fits = big.signum() == 0 || big.precision() - big.scale() <= precision - scale;
    }
    if (!fits) {
      int whole = precision - scale;
      throw fieldOverflow()
          .detail(
              "A field with precision "
                  + precision
                  + ", scale "
                  + scale
                  + " must round to an absolute value less than "
                  + (whole > 0 ? "10^" + whole : whole == 0 ? "1" : "10^" + whole)
                  + ".");
    }
  }

  private static GaussException fieldOverflow() {
    return new GaussException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow");
  }

  /** Rejects results outside the range of PostgreSQL's numeric. */
  public static void checkRange(BigDecimal value) {
    if (value.signum() != 0 && (long) value.precision() - value.scale() > MAX_WHOLE_DIGITS) {
      throw TypeErrors.numericOverflow();
    }
  }

  public static double toDouble(Value value) {
    if (value.special != 0) {
      return value.special == NAN
          ? Double.NaN
          : value.special == INFINITY ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    }
    // A long below 2^53 divided by an exact power of ten is correctly rounded.
    if (value.big == null && value.scale <= 18 && Math.abs(value.l) < 1L << 53) {
      return value.scale == 0 ? value.l : value.l / (double) POWERS[value.scale];
    }
    return toBig(value).doubleValue();
  }
}
