package io.gauss.compute.expr.number;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeErrors;
import java.util.function.DoubleUnaryOperator;

/** Operators and functions on real and double precision. */
public final class FloatLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    arithmetic(define, "(float8, float8) float8", false);
    arithmetic(define, "(float4, float8) float8", false);
    arithmetic(define, "(float8, float4) float8", false);
    arithmetic(define, "(float4, float4) float4", true);
    for (String t : new String[] {"float4", "float8"}) {
      define.op("+(" + t + ") " + t, (ctx, a, out) -> out.set(a));
      define.op("-(" + t + ") " + t, (ctx, a, out) -> out.setDouble(-a.d));
      define.both("abs", "@", "(" + t + ") " + t, (ctx, a, out) -> out.setDouble(Math.abs(a.d)));
    }
    rounding(define);
    powers(define);
    trigonometry(define);
    define.fn("random() float8 volatile", (ctx, out) -> out.setDouble(ctx.random.nextDouble()));
    define.fnN(
        "width_bucket(float8, float8, float8, int4) int4",
        (ctx, v, out) -> out.setLong(bucket(v[0].d, v[1].d, v[2].d, v[3].l)));
    define.fn("pi() float8", (ctx, out) -> out.setDouble(Math.PI));
  }

  private static void arithmetic(Define define, String types, boolean single) {
    define.op("+" + types, (ctx, a, b, out) -> out.setDouble(sum(a.d, b.d, a.d + b.d, single)));
    define.op("-" + types, (ctx, a, b, out) -> out.setDouble(sum(a.d, b.d, a.d - b.d, single)));
    define.op(
        "*" + types,
        (ctx, a, b, out) -> {
          double product = round(a.d * b.d, single);
          checkOverflow(product, a.d, b.d);
          if (product == 0 && a.d != 0 && b.d != 0) {
            throw TypeErrors.floatUnderflow();
          }
          out.setDouble(product);
        });
    define.op(
        "/" + types,
        (ctx, a, b, out) -> {
          if (b.d == 0 && !Double.isNaN(a.d)) {
            throw TypeErrors.divisionByZero();
          }
          double quotient = round(a.d / b.d, single);
          if (Double.isInfinite(quotient) && !Double.isInfinite(a.d)) {
            throw TypeErrors.floatOverflow();
          }
          if (quotient == 0 && a.d != 0 && !Double.isInfinite(b.d)) {
            throw TypeErrors.floatUnderflow();
          }
          out.setDouble(quotient);
        });
  }

  private static double round(double value, boolean single) {
    return single ? (float) value : value;
  }

  private static double sum(double a, double b, double exact, boolean single) {
    double result = round(exact, single);
    checkOverflow(result, a, b);
    return result;
  }

  private static void checkOverflow(double result, double a, double b) {
    if (Double.isInfinite(result) && !Double.isInfinite(a) && !Double.isInfinite(b)) {
      throw TypeErrors.floatOverflow();
    }
  }

  private static void rounding(Define define) {
    unary(define, "round", Math::rint);
    unary(define, "trunc", d -> d < 0 ? Math.ceil(d) : Math.floor(d));
    unary(define, "ceil", Math::ceil);
    unary(define, "ceiling", Math::ceil);
    unary(define, "floor", Math::floor);
    unary(define, "sign", d -> Double.isNaN(d) ? 0 : Math.signum(d) + 0.0);
  }

  private static void unary(Define define, String name, DoubleUnaryOperator body) {
    define.fn(name + "(float8) float8", (ctx, a, out) -> out.setDouble(body.applyAsDouble(a.d)));
  }

  /**
   * Number of the part that x lies in when [low, high) is divided into equal parts; 0 below and
   * count + 1 above.
   */
  private static long bucket(double x, double low, double high, long count) {
    if (count <= 0) {
      throw bucketError("count must be greater than zero");
    }
    if (Double.isNaN(x) || Double.isNaN(low) || Double.isNaN(high)) {
      throw bucketError("operand, lower bound, and upper bound cannot be NaN");
    }
    if (Double.isInfinite(low) || Double.isInfinite(high)) {
      throw bucketError("lower and upper bounds must be finite");
    }
    if (low == high) {
      throw bucketError("lower bound cannot equal upper bound");
    }
    boolean up = low < high;
    if (up ? x < low : x > low) {
      return 0;
    }
    if (up ? x >= high : x <= high) {
      if (count == Integer.MAX_VALUE) {
        throw TypeErrors.outOfRange(PgType.INT4);
      }
      return count + 1;
    }
    // Halved, so that the difference of the bounds does not overflow.
    boolean wide = Double.isInfinite(high - low);
    double part = wide ? (x / 2 - low / 2) / (high / 2 - low / 2) : (x - low) / (high - low);
    return Math.min((long) (count * part), count - 1) + 1;
  }

  private static GaussException bucketError(String message) {
    return new GaussException(SqlState.INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION, message);
  }

  private static void powers(Define define) {
    define.both(
        "sqrt",
        "|/",
        "(float8) float8",
        (ctx, a, out) -> {
          if (a.d < 0) {
            throw new GaussException(
                SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
                "cannot take square root of a negative number");
          }
          out.setDouble(Math.sqrt(a.d));
        });
    define.both("cbrt", "||/", "(float8) float8", (ctx, a, out) -> out.setDouble(Math.cbrt(a.d)));
    unary(define, "exp", FloatLibrary::exp);
    unary(define, "ln", d -> Math.log(logarithmArgument(d)));
    unary(define, "log", d -> Math.log10(logarithmArgument(d)));
    unary(define, "log10", d -> Math.log10(logarithmArgument(d)));
    define.both(
        "power",
        "^",
        "(float8, float8) float8",
        (ctx, a, b, out) -> out.setDouble(power(a.d, b.d)));
    define.fn("pow(float8, float8) float8", (ctx, a, b, out) -> out.setDouble(power(a.d, b.d)));
  }

  private static double exp(double x) {
    double result = Math.exp(x);
    if (Double.isInfinite(result) && !Double.isInfinite(x)) {
      throw TypeErrors.floatOverflow();
    }
    if (result == 0 && !Double.isInfinite(x)) {
      throw TypeErrors.floatUnderflow();
    }
    return result;
  }

  private static double logarithmArgument(double x) {
    if (x == 0) {
      throw new GaussException(SqlState.INVALID_ARGUMENT_FOR_LOG, "cannot take logarithm of zero");
    }
    if (x < 0) {
      throw new GaussException(
          SqlState.INVALID_ARGUMENT_FOR_LOG, "cannot take logarithm of a negative number");
    }
    return x;
  }

  private static double power(double x, double y) {
    if (x == 0 && y < 0) {
      throw new GaussException(
          SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
          "zero raised to a negative power is undefined");
    }
    if (x < 0 && !Double.isInfinite(y) && Math.rint(y) != y) {
      throw new GaussException(
          SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
          "a negative number raised to a non-integer power yields a complex result");
    }
    if (x == 1 || (x == -1 && Double.isInfinite(y))) {
      // Java returns NaN for 1 to the power of NaN or infinity.
      return 1;
    }
    double result = Math.pow(x, y);
    boolean finite = !Double.isInfinite(x) && !Double.isInfinite(y);
    if (Double.isInfinite(result) && finite) {
      throw TypeErrors.floatOverflow();
    }
    if (result == 0 && x != 0 && finite) {
      throw TypeErrors.floatUnderflow();
    }
    return result;
  }

  private static void trigonometry(Define define) {
    unary(define, "sin", d -> Math.sin(finite(d)));
    unary(define, "cos", d -> Math.cos(finite(d)));
    unary(define, "tan", d -> Math.tan(finite(d)));
    unary(define, "cot", d -> 1 / Math.tan(finite(d)));
    unary(define, "asin", d -> Math.asin(withinOne(d)));
    unary(define, "acos", d -> Math.acos(withinOne(d)));
    unary(define, "atan", Math::atan);
    unary(define, "sinh", Math::sinh);
    unary(define, "cosh", Math::cosh);
    unary(define, "tanh", Math::tanh);
    unary(define, "asinh", InverseHyperbolic::asinh);
    unary(define, "acosh", d -> InverseHyperbolic.acosh(atLeastOne(d)));
    unary(define, "atanh", d -> InverseHyperbolic.atanh(withinOne(d)));
    unary(define, "sind", d -> Degrees.sin(finite(d)));
    unary(define, "cosd", d -> Degrees.cos(finite(d)));
    unary(define, "tand", d -> Degrees.tan(finite(d)));
    unary(define, "cotd", d -> Degrees.cot(finite(d)));
    unary(define, "asind", d -> Degrees.asin(withinOne(d)));
    unary(define, "acosd", d -> Degrees.acos(withinOne(d)));
    unary(define, "atand", Degrees::atan);
    define.fn(
        "atan2d(float8, float8) float8",
        (ctx, a, b, out) -> out.setDouble(Degrees.atan2(a.d, b.d)));
    unary(define, "degrees", d -> d / (Math.PI / 180));
    unary(define, "radians", d -> d * (Math.PI / 180));
    define.fn(
        "atan2(float8, float8) float8", (ctx, a, b, out) -> out.setDouble(Math.atan2(a.d, b.d)));
  }

  private static double finite(double x) {
    if (Double.isInfinite(x)) {
      throw outOfRange();
    }
    return x;
  }

  private static double withinOne(double x) {
    if (x < -1 || x > 1) {
      throw outOfRange();
    }
    return x;
  }

  private static double atLeastOne(double x) {
    if (x < 1) {
      throw outOfRange();
    }
    return x;
  }

  private static GaussException outOfRange() {
    return new GaussException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "input is out of range");
  }
}
