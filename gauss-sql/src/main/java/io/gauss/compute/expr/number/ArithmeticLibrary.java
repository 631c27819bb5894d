package io.gauss.compute.expr.number;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.CastBodies;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeErrors;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/** Operators and functions on integers and numerics. */
public final class ArithmeticLibrary implements FunctionRegistry.Library {
  private static final List<PgType> INTEGERS = List.of(PgType.INT2, PgType.INT4, PgType.INT8);

  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    for (PgType a : INTEGERS) {
      for (PgType b : INTEGERS) {
        PgType wider = a.typlen() > b.typlen() ? a : b;
        for (char operator : new char[] {'+', '-', '*', '/'}) {
          binary(define, operator, a, b, wider);
        }
      }
      integers(define, a);
    }
    numerics(define);
    define.fn(
        "factorial(int8) numeric", (ctx, a, out) -> NumericMath.factorial(a.l, ctx.longWork, out));
    define.fn(
        "to_hex(int4) text",
        (ctx, a, out) -> Texts.set(ctx, Long.toHexString(a.l & 0xFFFF_FFFFL), out));
    define.fn("to_hex(int8) text", (ctx, a, out) -> Texts.set(ctx, Long.toHexString(a.l), out));
    define.fnN(
        "width_bucket(numeric, numeric, numeric, int4) int4",
        (ctx, v, out) -> out.setLong(widthBucket(v[0], v[1], v[2], v[3].l)));
  }

  private static void binary(Define define, char operator, PgType a, PgType b, PgType result) {
    define.add(
        operator + "(" + a.name() + ", " + b.name() + ") " + result.name(),
        true,
        (f, args) -> new IntegerArithmetic(operator, result, args[0], args[1]));
  }

  private static void integers(Define define, PgType type) {
    String t = type.name();
    binary(define, '%', type, type, type);
    define.add(
        "mod(" + t + ", " + t + ") " + t,
        false,
        (f, args) -> new IntegerArithmetic('%', type, args[0], args[1]));
    define.op("+(" + t + ") " + t, (ctx, a, out) -> out.set(a));
    define.op("-(" + t + ") " + t, (ctx, a, out) -> out.setLong(negate(a.l, type)));
    define.both(
        "abs",
        "@",
        "(" + t + ") " + t,
        (ctx, a, out) -> out.setLong(a.l < 0 ? negate(a.l, type) : a.l));
    String two = "(" + t + ", " + t + ") " + t;
    define.op("&" + two, (ctx, a, b, out) -> out.setLong(a.l & b.l));
    define.op("|" + two, (ctx, a, b, out) -> out.setLong(a.l | b.l));
    define.op("#" + two, (ctx, a, b, out) -> out.setLong(a.l ^ b.l));
    define.op("~(" + t + ") " + t, (ctx, a, out) -> out.setLong(~a.l));
    int bits = type.typlen() == 8 ? 63 : 31;
    define.op(
        "<<(" + t + ", int4) " + t,
        (ctx, a, b, out) -> out.setLong(narrow(a.l << (b.l & bits), type)));
    define.op(">>(" + t + ", int4) " + t, (ctx, a, b, out) -> out.setLong(a.l >> (b.l & bits)));
    if (!type.is(PgType.INT2)) {
      define.fn("gcd" + two, (ctx, a, b, out) -> out.setLong(gcd(a.l, b.l, type)));
      define.fn("lcm" + two, (ctx, a, b, out) -> out.setLong(lcm(a.l, b.l, type)));
    }
  }

  private static long narrow(long value, PgType type) {
    return type.typlen() == 2 ? (short) value : type.typlen() == 4 ? (int) value : value;
  }

  private static long negate(long value, PgType type) {
    if (value == Long.MIN_VALUE) {
      throw TypeErrors.outOfRange(type);
    }
    return CastBodies.checked(-value, type);
  }

  private static long gcd(long a, long b, PgType type) {
    long x = a;
    long y = b;
    while (y != 0) {
      long rest = y == -1 ? 0 : x % y;
      x = y;
      y = rest;
    }
    return x < 0 ? negate(x, type) : x;
  }

  private static long lcm(long a, long b, PgType type) {
    if (a == 0 || b == 0) {
      return 0;
    }
    long quotient = a / gcd(a, b, type);
    long product = CastBodies.checked(IntegerArithmetic.apply('*', quotient, b, type), type);
    return product < 0 ? negate(product, type) : product;
  }

  private static void numerics(Define define) {
    define.op("+(numeric, numeric) numeric", (ctx, a, b, out) -> NumericMath.add(a, b, out));
    define.op("-(numeric, numeric) numeric", (ctx, a, b, out) -> NumericMath.subtract(a, b, out));
    define.op("*(numeric, numeric) numeric", (ctx, a, b, out) -> NumericMath.multiply(a, b, out));
    define.op("/(numeric, numeric) numeric", (ctx, a, b, out) -> NumericMath.divide(a, b, out));
    define.both(
        "mod",
        "%",
        "(numeric, numeric) numeric",
        (ctx, a, b, out) -> NumericMath.remainder(a, b, out));
    define.op("+(numeric) numeric", (ctx, a, out) -> out.set(a));
    define.op("-(numeric) numeric", (ctx, a, out) -> NumericMath.negate(a, out));
    define.both("abs", "@", "(numeric) numeric", (ctx, a, out) -> NumericMath.abs(a, out));
    define.fn("sign(numeric) numeric", (ctx, a, out) -> NumericMath.sign(a, out));
    define.fn(
        "div(numeric, numeric) numeric", (ctx, a, b, out) -> NumericMath.divideWhole(a, b, out));
    rounding(define, "round", RoundingMode.HALF_UP);
    rounding(define, "trunc", RoundingMode.DOWN);
    for (String name : new String[] {"ceil", "ceiling"}) {
      define.fn(
          name + "(numeric) numeric",
          (ctx, a, out) -> NumericMath.round(a, 0, RoundingMode.CEILING, out));
    }
    define.fn(
        "floor(numeric) numeric",
        (ctx, a, out) -> NumericMath.round(a, 0, RoundingMode.FLOOR, out));
    define.fn("sqrt(numeric) numeric", (ctx, a, out) -> NumericFunctions.sqrt(a, out));
    define.fn("exp(numeric) numeric", (ctx, a, out) -> NumericFunctions.exp(a, ctx.longWork, out));
    define.fn("ln(numeric) numeric", (ctx, a, out) -> NumericFunctions.ln(a, ctx.longWork, out));
    define.fn(
        "log(numeric) numeric", (ctx, a, out) -> NumericFunctions.log10(a, ctx.longWork, out));
    define.fn(
        "log10(numeric) numeric", (ctx, a, out) -> NumericFunctions.log10(a, ctx.longWork, out));
    define.fn(
        "log(numeric, numeric) numeric",
        (ctx, a, b, out) -> NumericFunctions.log(a, b, ctx.longWork, out));
    define.both(
        "power",
        "^",
        "(numeric, numeric) numeric",
        (ctx, a, b, out) -> NumericFunctions.power(a, b, ctx.longWork, out));
    define.fn(
        "pow(numeric, numeric) numeric",
        (ctx, a, b, out) -> NumericFunctions.power(a, b, ctx.longWork, out));
    define.fn(
        "gcd(numeric, numeric) numeric",
        (ctx, a, b, out) -> NumericMath.gcd(a, b, ctx.longWork, out));
    define.fn(
        "lcm(numeric, numeric) numeric",
        (ctx, a, b, out) -> NumericMath.lcm(a, b, ctx.longWork, out));
    define.fn(
        "scale(numeric) int4",
        (ctx, a, out) -> {
          if (a.special != 0) {
            out.setNull();
          } else {
            out.setLong(a.scale);
          }
        });
    define.fn(
        "min_scale(numeric) int4",
        (ctx, a, out) -> {
          if (a.special != 0) {
            out.setNull();
          } else {
            out.setLong(NumericMath.minScale(a));
          }
        });
    define.fn("trim_scale(numeric) numeric", (ctx, a, out) -> NumericMath.trimScale(a, out));
  }

  private static void rounding(Define define, String name, RoundingMode mode) {
    define.fn(name + "(numeric) numeric", (ctx, a, out) -> NumericMath.round(a, 0, mode, out));
    define.fn(
        name + "(numeric, int4) numeric", (ctx, a, b, out) -> NumericMath.round(a, b.l, mode, out));
  }

  private static long widthBucket(Value x, Value low, Value high, long count) {
    if (count <= 0) {
      throw invalidBucket("count must be greater than zero");
    }
    if (x.special == Numerics.NAN || low.special == Numerics.NAN || high.special == Numerics.NAN) {
      throw invalidBucket("operand, lower bound, and upper bound cannot be NaN");
    }
    if (low.special != 0 || high.special != 0) {
      throw invalidBucket("lower and upper bounds must be finite");
    }
    int order = Numerics.compare(low, high);
    if (order == 0) {
      throw invalidBucket("lower bound cannot equal upper bound");
    }
    boolean below = order < 0 ? Numerics.compare(x, low) < 0 : Numerics.compare(x, low) > 0;
    if (below) {
      return 0;
    }
    boolean above = order < 0 ? Numerics.compare(x, high) >= 0 : Numerics.compare(x, high) <= 0;
    if (above) {
      return CastBodies.checked(count + 1, PgType.INT4);
    }
    BigDecimal from = Numerics.toBig(low);
    BigDecimal part = Numerics.toBig(x).subtract(from).multiply(BigDecimal.valueOf(count));
    BigDecimal whole = Numerics.toBig(high).subtract(from);
    return part.divideToIntegralValue(whole).longValue() + 1;
  }

  private static GaussException invalidBucket(String message) {
    return new GaussException(SqlState.INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION, message);
  }
}
