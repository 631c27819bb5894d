package io.gauss.compute.expr.number;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.TypeErrors;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * sqrt, exp, ln, log and power of numerics, rounded correctly at the scales that numeric.c chooses:
 * about 16 significant digits, never fewer digits after the point than the arguments have.
 */
public final class NumericFunctions {
  private static final int SIGNIFICANT = 16;
  private static final int GUARD_DIGITS = 10;
  private static final int MAX_RESULT_SCALE = 2000;

  /** Largest exponent of {@link BigDecimal#pow(int, MathContext)}. */
  private static final int MAX_BIG_DECIMAL_POWER = 999_999_999;

  private static final double LOG10_E = 0.434294481903252;
  private static final double LN_10 = 2.302585092994046;
  private static final BigDecimal TWO = BigDecimal.TWO;

  /** Digits from which on the functions take milliseconds, up to many minutes. */
  private static final int LONG_DIGITS = 300;

  private static final BigDecimal NEAR_ONE_LOW = new BigDecimal("0.9");
  private static final BigDecimal NEAR_ONE_HIGH = new BigDecimal("1.1");

  private NumericFunctions() {}

  private static void setChecked(BigDecimal value, Value out) {
    Numerics.checkRange(value);
    out.setNumeric(value);
  }

  static void sqrt(Value a, Value out) {
    if (a.special != 0) {
      if (a.special == Numerics.MINUS_INFINITY) {
        throw negativeRoot();
      }
      Numerics.setSpecial(out, a.special);
      return;
    }
    BigDecimal x = Numerics.toBig(a);
    if (x.signum() < 0) {
      throw negativeRoot();
    }
    int resultWeight = (NumericMath.weight(x) + 1) * 4 / 2 - 1;
    sqrt(x, NumericMath.displayScale(Math.max(SIGNIFICANT - resultWeight, a.scale)), out);
  }

  /** Square root of a non-negative number at a scale. */
  public static void sqrt(BigDecimal x, int scale, Value out) {
    if (x.signum() == 0) {
      out.setNumeric(0, scale);
      return;
    }
    // Whole square root of x * 10^(2 (scale + 1)), then one digit is rounded off; the truncated
    // rest cannot decide a tie.
    BigInteger shifted =
        x.movePointRight(2 * (scale + 1)).setScale(0, RoundingMode.DOWN).toBigInteger();
    BigDecimal root = new BigDecimal(shifted.sqrt(), scale + 1);
    out.setNumeric(root.setScale(scale, RoundingMode.HALF_UP));
  }

  /** A step of many with numbers so long that it takes a while. */
  private static void step(MathContext precision, Runnable longWork) {
    if (precision.getPrecision() > LONG_DIGITS) {
      longWork.run();
    }
  }

  private static GaussException negativeRoot() {
    return new GaussException(
        SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
        "cannot take square root of a negative number");
  }

  static void exp(Value a, Runnable longWork, Value out) {
    if (a.special != 0) {
      if (a.special == Numerics.MINUS_INFINITY) {
        out.setNumeric(0, 0);
      } else {
        Numerics.setSpecial(out, a.special);
      }
      return;
    }
    double estimate = Numerics.toDouble(a) * LOG10_E;
    estimate = Math.clamp(estimate, -MAX_RESULT_SCALE, MAX_RESULT_SCALE);
    int scale = NumericMath.displayScale(Math.max(SIGNIFICANT - (int) estimate, a.scale));
    exp(Numerics.toBig(a), scale, longWork, out);
  }

  private static void exp(BigDecimal x, int scale, Runnable longWork, Value out) {
    double magnitude = x.doubleValue() * LOG10_E;
    if (magnitude > Numerics.MAX_WHOLE_DIGITS + 1) {
      throw TypeErrors.numericOverflow();
    }
    if (magnitude < -scale - 2) {
      out.setNumeric(new BigDecimal(BigInteger.ZERO, scale));
      return;
    }
    int digits = Math.max(0, (int) magnitude) + scale + GUARD_DIGITS;
    BigDecimal result = exp(x, new MathContext(digits), longWork);
    setChecked(result.setScale(scale, RoundingMode.HALF_UP), out);
  }

  /** Taylor series after halving the argument until it is small, then squaring back. */
  private static BigDecimal exp(BigDecimal x, MathContext precision, Runnable longWork) {
    int halvings = 0;
    if (x.signum() != 0) {
      halvings = Math.max(0, (int) (Math.log(Math.abs(x.doubleValue())) / Math.log(2)) + 8);
    }
    MathContext inner =
        new MathContext(precision.getPrecision() + halvings + 5, RoundingMode.HALF_EVEN);
    BigDecimal small = x.divide(new BigDecimal(BigInteger.TWO.pow(halvings)), inner);
    BigDecimal sum = BigDecimal.ONE;
    BigDecimal term = BigDecimal.ONE;
    BigDecimal limit = BigDecimal.ONE.movePointLeft(inner.getPrecision());
    for (int i = 1; term.abs().compareTo(limit) > 0; i++) {
      step(inner, longWork);
      term = term.multiply(small, inner).divide(BigDecimal.valueOf(i), inner);
      sum = sum.add(term, inner);
    }
    for (int i = 0; i < halvings; i++) {
      step(inner, longWork);
      sum = sum.multiply(sum, inner);
    }
    return sum;
  }

  /** numeric.c, estimate_ln_dweight: decimal weight of the first digit of ln(x). */
  private static int lnWeight(BigDecimal x) {
    if (x.signum() <= 0) {
      return 0;
    }
    if (x.compareTo(NEAR_ONE_LOW) >= 0 && x.compareTo(NEAR_ONE_HIGH) <= 0) {
      BigDecimal difference = x.subtract(BigDecimal.ONE);
      if (difference.signum() == 0) {
        return 0;
      }
      return difference.precision() - difference.scale() - 1;
    }
    int weight = NumericMath.weight(x);
    // The first two groups of four digits, when there are two.
    int groups = firstGroups(x, weight);
    double digits;
    int decimalWeight = weight * 4;
    if (groups > 1) {
      digits = x.movePointLeft(4 * (weight - 1)).setScale(0, RoundingMode.DOWN).doubleValue();
      decimalWeight -= 4;
    } else {
      digits = NumericMath.firstGroup(x, weight);
    }
    double ln = Math.log(digits) + decimalWeight * LN_10;
    return (int) Math.log10(Math.abs(ln));
  }

  /** Number of groups of four digits that are stored: without trailing zero groups. */
  private static int firstGroups(BigDecimal x, int weight) {
    BigDecimal plain = x.stripTrailingZeros();
    int last = Math.floorDiv(-plain.scale(), 4);
    return weight - last + 1;
  }

  private static BigDecimal ln(BigDecimal x, int scale, Runnable longWork) {
    double estimate =
        Math.abs(Math.log(x.round(MathContext.DECIMAL64).unscaledValue().doubleValue()))
            + Math.abs((double) x.scale() * LN_10)
            + 1;
    MathContext precision = new MathContext(scale + (int) Math.log10(estimate) + 2 * GUARD_DIGITS);
    // x = m * 10^k with m between 0.1 and 1, then square roots until near one.
    int k = x.precision() - x.scale();
    BigDecimal m = x.movePointLeft(k);
    BigDecimal result = lnNear(m, precision, longWork);
    if (k != 0) {
      result =
          result.add(
              lnNear(BigDecimal.TEN, precision, longWork)
                  .multiply(BigDecimal.valueOf(k), precision),
              precision);
    }
    return result.setScale(scale, RoundingMode.HALF_UP);
  }

  private static BigDecimal lnNear(BigDecimal x, MathContext precision, Runnable longWork) {
    BigDecimal m = x;
    int roots = 0;
    while (m.compareTo(NEAR_ONE_LOW) < 0 || m.compareTo(NEAR_ONE_HIGH) > 0) {
      step(precision, longWork);
      m = m.sqrt(precision);
      roots++;
    }
    BigDecimal z = m.subtract(BigDecimal.ONE).divide(m.add(BigDecimal.ONE), precision);
    BigDecimal square = z.multiply(z, precision);
    BigDecimal term = z;
    BigDecimal sum = z;
    BigDecimal limit = BigDecimal.ONE.movePointLeft(precision.getPrecision() + 2);
    for (int i = 3; term.signum() != 0 && term.abs().compareTo(limit) > 0; i += 2) {
      step(precision, longWork);
      term = term.multiply(square, precision);
      sum = sum.add(term.divide(BigDecimal.valueOf(i), precision), precision);
    }
    return sum.multiply(TWO.pow(roots + 1), precision);
  }

  private static void checkLogarithm(Value a) {
    if (a.special == Numerics.MINUS_INFINITY || Numerics.signum(a) < 0) {
      throw new GaussException(
          SqlState.INVALID_ARGUMENT_FOR_LOG, "cannot take logarithm of a negative number");
    }
    if (a.special == 0 && Numerics.signum(a) == 0) {
      throw new GaussException(SqlState.INVALID_ARGUMENT_FOR_LOG, "cannot take logarithm of zero");
    }
  }

  static void ln(Value a, Runnable longWork, Value out) {
    if (a.special == Numerics.NAN) {
      out.set(a);
      return;
    }
    checkLogarithm(a);
    if (a.special != 0) {
      out.set(a);
      return;
    }
    BigDecimal x = Numerics.toBig(a);
    int scale = NumericMath.displayScale(Math.max(SIGNIFICANT - lnWeight(x), a.scale));
    out.setNumeric(ln(x, scale, longWork));
  }

  static void log10(Value a, Runnable longWork, Value out) {
    Value ten = new Value();
    ten.setNumeric(10, 0);
    log(ten, a, longWork, out);
  }

  static void log(Value base, Value a, Runnable longWork, Value out) {
    if (base.special == Numerics.NAN || a.special == Numerics.NAN) {
      Numerics.setSpecial(out, Numerics.NAN);
      return;
    }
    checkLogarithm(base);
    checkLogarithm(a);
    if (base.special != 0 || a.special != 0) {
      if (base.special != 0 && a.special != 0) {
        Numerics.setSpecial(out, Numerics.NAN);
      } else if (base.special != 0) {
        out.setNumeric(0, 0);
      } else {
        out.set(a);
      }
      return;
    }
    BigDecimal b = Numerics.toBig(base);
    BigDecimal x = Numerics.toBig(a);
    int weight = lnWeight(x) - lnWeight(b);
    int scale =
        NumericMath.displayScale(Math.max(Math.max(SIGNIFICANT - weight, base.scale), a.scale));
    int inner = scale + 2 * GUARD_DIGITS + Math.abs(lnWeight(b)) + Math.abs(lnWeight(x));
    BigDecimal lnBase = ln(b, inner, longWork);
    if (lnBase.signum() == 0) {
      throw TypeErrors.divisionByZero();
    }
    out.setNumeric(ln(x, inner, longWork).divide(lnBase, scale, RoundingMode.HALF_UP));
  }

  static void power(Value base, Value exponent, Runnable longWork, Value out) {
    if ((base.special | exponent.special) != 0) {
      powerSpecial(base, exponent, out);
      return;
    }
    BigDecimal x = Numerics.toBig(base);
    BigDecimal y = Numerics.toBig(exponent);
    boolean whole = y.signum() == 0 || y.stripTrailingZeros().scale() <= 0;
    if (x.signum() == 0 && y.signum() < 0) {
      throw new GaussException(
          SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
          "zero raised to a negative power is undefined");
    }
    if (x.signum() < 0 && !whole) {
      throw new GaussException(
          SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
          "a negative number raised to a non-integer power yields a complex result");
    }
    if (whole && y.abs().compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) <= 0) {
      int scale = NumericMath.displayScale(Math.max(SIGNIFICANT, base.scale));
      powerWhole(x, y.intValue(), scale, longWork, out);
      return;
    }
    if (x.signum() == 0) {
      out.setNumeric(0, SIGNIFICANT);
      return;
    }
    BigDecimal magnitude = x.abs();
    int lnWeight = lnWeight(magnitude);
    BigDecimal rough = ln(magnitude, Math.max(0, 8 - lnWeight), longWork).multiply(y);
    double value = rough.doubleValue();
    if (Math.abs(value) > MAX_RESULT_SCALE * 3.01) {
      if (value > 0) {
        throw TypeErrors.numericOverflow();
      }
      out.setNumeric(0, 1000);
      return;
    }
    int scale =
        NumericMath.displayScale(
            Math.max(Math.max(SIGNIFICANT - (int) (value * LOG10_E), base.scale), exponent.scale));
    int inner = scale + 2 * GUARD_DIGITS + Math.max(0, (int) (value * LOG10_E)) + y.precision();
    BigDecimal product = ln(magnitude, inner, longWork).multiply(y);
    exp(product, scale, longWork, out);
    if (x.signum() < 0 && y.toBigInteger().testBit(0)) {
      Value positive = new Value();
      positive.set(out);
      NumericMath.negate(positive, out);
    }
  }

  private static void powerWhole(BigDecimal x, int n, int scale, Runnable longWork, Value out) {
    if (n == 0) {
      out.setNumeric(BigDecimal.ONE.setScale(scale));
      return;
    }
    if (x.signum() == 0) {
      out.setNumeric(new BigDecimal(BigInteger.ZERO, scale));
      return;
    }
    if (x.abs().compareTo(BigDecimal.ONE) == 0) {
      boolean negative = x.signum() < 0 && n % 2 != 0;
      out.setNumeric(BigDecimal.valueOf(negative ? -1 : 1).setScale(scale));
      return;
    }
    double digits =
        (Math.log10(x.abs().round(MathContext.DECIMAL64).unscaledValue().doubleValue())
                - x.round(MathContext.DECIMAL64).scale())
            * n;
    if (digits > Numerics.MAX_WHOLE_DIGITS + 1) {
      throw TypeErrors.numericOverflow();
    }
    if (digits + 1 < -scale) {
      out.setNumeric(new BigDecimal(BigInteger.ZERO, scale));
      return;
    }
    MathContext precision = new MathContext(Math.max(1, (int) digits + scale) + GUARD_DIGITS + 12);
    step(precision, longWork);
    BigDecimal power = power(x.round(precision), Math.abs(n), precision);
    if (n < 0) {
      power = BigDecimal.ONE.divide(power, precision);
    }
    setChecked(power.setScale(scale, RoundingMode.HALF_UP), out);
  }

  private static BigDecimal power(BigDecimal x, int n, MathContext precision) {
    if (n <= MAX_BIG_DECIMAL_POWER) {
      return x.pow(n, precision);
    }
    BigDecimal half = power(x, n / 2, precision);
    BigDecimal square = half.multiply(half, precision);
    return n % 2 == 0 ? square : square.multiply(x, precision);
  }

  /** As POSIX pow() on NaN and infinities. */
  private static void powerSpecial(Value base, Value exponent, Value out) {
    if (base.special == Numerics.NAN) {
      if (exponent.special == 0 && Numerics.signum(exponent) == 0) {
        out.setNumeric(1, 0);
      } else {
        out.set(base);
      }
      return;
    }
    if (exponent.special == Numerics.NAN) {
      boolean one = base.special == 0 && Numerics.toBig(base).compareTo(BigDecimal.ONE) == 0;
      if (one) {
        out.setNumeric(1, 0);
      } else {
        out.set(exponent);
      }
      return;
    }
    double x = Numerics.toDouble(base);
    double y = Numerics.toDouble(exponent);
    if (x == 0 && y < 0) {
      throw new GaussException(
          SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
          "zero raised to a negative power is undefined");
    }
    if (x < 0 && !Double.isInfinite(y) && y != Math.rint(y)) {
      throw new GaussException(
          SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
          "a negative number raised to a non-integer power yields a complex result");
    }
    // Java's pow returns NaN where POSIX returns 1.
    double result = (x == 1 || x == -1) && Double.isInfinite(y) ? 1 : Math.pow(x, y);
    if (Double.isInfinite(result)) {
      Numerics.setSpecial(out, result > 0 ? Numerics.INFINITY : Numerics.MINUS_INFINITY);
    } else {
      out.setNumeric((long) result, 0);
    }
  }
}
