package io.gauss.compute.expr.call;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.call.FunctionDef.Fn1;
import io.gauss.compute.type.DateTimes;
import io.gauss.compute.type.Interval;
import io.gauss.compute.type.JsonbKind;
import io.gauss.compute.type.JsonbView;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeErrors;
import io.gauss.compute.type.Utf8;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Implementations of the conversions of pg_cast. */
public final class CastBodies {
  /** The representation is the same. */
  static final Fn1 SAME = (ctx, a, out) -> out.set(a);

  private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
  private static final int NAME_BYTES = 63;
  private static final Map<Long, Fn1> BODIES = new HashMap<>();
  private static final List<PgType> INTEGERS = List.of(PgType.INT2, PgType.INT4, PgType.INT8);
  private static final List<PgType> OIDS =
      List.of(
          PgType.OID,
          PgType.REGCLASS,
          PgType.REGTYPE,
          PgType.REGPROC,
          PgType.REGPROCEDURE,
          PgType.REGNAMESPACE,
          PgType.REGROLE);
  private static final List<PgType> TEXTS = List.of(PgType.TEXT, PgType.VARCHAR);

  static {
    numbers();
    texts();
    times();
    json();
  }

  private CastBodies() {}

  private static void put(PgType from, PgType to, Fn1 body) {
    BODIES.put(((long) from.oid() << 32) | to.oid(), body);
  }

  /** The body, {@link #SAME}, or null when the conversion goes through text. */
  static Fn1 find(PgType from, PgType to) {
    return BODIES.get(((long) from.oid() << 32) | to.oid());
  }

  private static void numbers() {
    for (PgType from : INTEGERS) {
      for (PgType to : INTEGERS) {
        if (to.typlen() < from.typlen()) {
          put(from, to, (ctx, a, out) -> out.setLong(checked(a.l, to)));
        } else if (to.typlen() > from.typlen()) {
          put(from, to, SAME);
        }
      }
      put(from, PgType.FLOAT4, (ctx, a, out) -> out.setDouble((float) a.l));
      put(from, PgType.FLOAT8, (ctx, a, out) -> out.setDouble(a.l));
      put(from, PgType.NUMERIC, (ctx, a, out) -> out.setNumeric(a.l, 0));
      put(PgType.FLOAT4, from, (ctx, a, out) -> out.setLong(fromDouble(a.d, from)));
      put(PgType.FLOAT8, from, (ctx, a, out) -> out.setLong(fromDouble(a.d, from)));
      put(PgType.NUMERIC, from, (ctx, a, out) -> out.setLong(fromNumeric(a, from)));
      for (PgType oid : OIDS) {
        put(from, oid, (ctx, a, out) -> out.setLong(toOid(a.l)));
        put(oid, from, (ctx, a, out) -> out.setLong(from.is(PgType.INT8) ? a.l : (int) a.l));
        for (PgType other : OIDS) {
          put(oid, other, SAME);
        }
      }
    }
    put(PgType.INT4, PgType.BOOL, (ctx, a, out) -> out.setBoolean(a.l != 0));
    put(PgType.BOOL, PgType.INT4, SAME);
    put(PgType.FLOAT4, PgType.FLOAT8, SAME);
    put(PgType.FLOAT8, PgType.FLOAT4, (ctx, a, out) -> out.setDouble(toFloat(a.d)));
    put(PgType.FLOAT4, PgType.NUMERIC, (ctx, a, out) -> fromFloat(a.d, 6, out));
    put(PgType.FLOAT8, PgType.NUMERIC, (ctx, a, out) -> fromFloat(a.d, 15, out));
    put(PgType.NUMERIC, PgType.FLOAT8, (ctx, a, out) -> out.setDouble(toFloat8(a)));
    put(PgType.NUMERIC, PgType.FLOAT4, (ctx, a, out) -> out.setDouble(toFloat4(a)));
  }

  public static long checked(long value, PgType to) {
    boolean fits =
        switch (to.typlen()) {
          case 2 -> (short) value == value;
          case 4 -> (int) value == value;
          default -> true;
        };
    if (!fits) {
      throw TypeErrors.outOfRange(to);
    }
    return value;
  }

  private static long toOid(long value) {
    if (value < Integer.MIN_VALUE || value > 0xFFFF_FFFFL) {
      throw new GaussException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "OID out of range");
    }
    return value & 0xFFFF_FFFFL;
  }

  private static long fromDouble(double value, PgType to) {
    double rounded = Math.rint(value);
    // 2^63 is a double, the largest long is not.
    if (Double.isNaN(rounded) || rounded < -0x1p63 || rounded >= 0x1p63) {
      throw TypeErrors.outOfRange(to);
    }
    return checked((long) rounded, to);
  }

  public static long fromNumeric(Value a, PgType to) {
    if (a.special != 0) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "cannot convert "
              + (a.special == Numerics.NAN ? "NaN" : "infinity")
              + " to "
              + to.displayName());
    }
    if (a.big == null && a.scale == 0) {
      return checked(a.l, to);
    }
    if (a.big == null && a.scale <= 18) {
      long power = Numerics.power(a.scale);
      long quotient = a.l / power;
      long rest = Math.abs(a.l % power);
      return checked(rest >= power - rest ? quotient + Long.signum(a.l) : quotient, to);
    }
    BigInteger whole = Numerics.toBig(a).setScale(0, RoundingMode.HALF_UP).toBigInteger();
    if (whole.bitLength() > 63) {
      throw TypeErrors.outOfRange(to);
    }
    return checked(whole.longValue(), to);
  }

  static float toFloat(double value) {
    float result = (float) value;
    if (Float.isInfinite(result) && !Double.isInfinite(value)) {
      throw TypeErrors.floatOverflow();
    }
    if (result == 0 && value != 0) {
      throw TypeErrors.floatUnderflow();
    }
    return result;
  }

  /** Uses as many significant digits as the type is guaranteed to hold, as PostgreSQL does. */
  static void fromFloat(double value, int digits, Value out) {
    if (Double.isNaN(value)) {
      Numerics.setSpecial(out, Numerics.NAN);
    } else if (Double.isInfinite(value)) {
      Numerics.setSpecial(out, value > 0 ? Numerics.INFINITY : Numerics.MINUS_INFINITY);
    } else if (value == 0) {
      out.setNumeric(0, 0);
    } else {
      BigDecimal rounded =
          new BigDecimal(value)
              .round(new MathContext(digits, RoundingMode.HALF_EVEN))
              .stripTrailingZeros();
      out.setNumeric(rounded);
    }
  }

  private static double toFloat8(Value a) {
    double result = Numerics.toDouble(a);
    checkFloat(a, result, PgType.FLOAT8);
    return result;
  }

  private static double toFloat4(Value a) {
    double result = a.special != 0 ? Numerics.toDouble(a) : Numerics.toBig(a).floatValue();
    checkFloat(a, result, PgType.FLOAT4);
    return result;
  }

  private static void checkFloat(Value a, double result, PgType to) {
    boolean lost =
        a.special == 0 && (Double.isInfinite(result) || (result == 0 && Numerics.signum(a) != 0));
    if (lost) {
      throw new GaussException(
          SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
          "\""
              + Numerics.toBig(a).toPlainString()
              + "\" is out of range for type "
              + to.displayName());
    }
  }

  private static void texts() {
    Fn1 trimmed =
        (ctx, a, out) -> out.setBytes(a.bytes, a.off, Utf8.trimmedLength(a.bytes, a.off, a.len));
    Fn1 toName = (ctx, a, out) -> setName(a, a.len, out);
    Fn1 toChar = (ctx, a, out) -> out.setBytes(a.bytes, a.off, Math.min(1, a.len));
    for (PgType text : TEXTS) {
      put(text, PgType.BPCHAR, SAME);
      put(text, PgType.NAME, toName);
      put(text, PgType.CHAR, toChar);
      put(PgType.NAME, text, SAME);
      put(PgType.CHAR, text, SAME);
      put(PgType.BPCHAR, text, trimmed);
      put(PgType.BOOL, text, CastBodies::fromBoolean);
    }
    put(PgType.TEXT, PgType.VARCHAR, SAME);
    put(PgType.VARCHAR, PgType.TEXT, SAME);
    put(PgType.NAME, PgType.BPCHAR, SAME);
    put(PgType.CHAR, PgType.BPCHAR, SAME);
    put(PgType.BPCHAR, PgType.CHAR, toChar);
    put(
        PgType.BPCHAR,
        PgType.NAME,
        (ctx, a, out) -> setName(a, Utf8.trimmedLength(a.bytes, a.off, a.len), out));
    put(PgType.BOOL, PgType.BPCHAR, CastBodies::fromBoolean);
    put(PgType.CHAR, PgType.INT4, (ctx, a, out) -> out.setLong(a.len == 0 ? 0 : a.bytes[a.off]));
    put(PgType.INT4, PgType.CHAR, CastBodies::toCharByte);
  }

  private static void fromBoolean(EvalContext ctx, Value a, Value out) {
    byte[] word = a.l != 0 ? TRUE : FALSE;
    out.setBytes(word, 0, word.length);
  }

  private static void toCharByte(EvalContext ctx, Value a, Value out) {
    if (a.l < -128 || a.l > 127) {
      throw new GaussException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "\"char\" out of range");
    }
    int start = ctx.allocate(1);
    ctx.scratch()[start] = (byte) a.l;
    out.setBytes(ctx.scratch(), start, a.l == 0 ? 0 : 1);
  }

  private static void setName(Value a, int length, Value out) {
    int kept = length;
    if (kept > NAME_BYTES) {
      kept = NAME_BYTES;
      while (kept > 0 && (a.bytes[a.off + kept] & 0xC0) == 0x80) {
        kept--;
      }
    }
    out.setBytes(a.bytes, a.off, kept);
  }

  private static void times() {
    put(PgType.DATE, PgType.TIMESTAMP, (ctx, a, out) -> out.setLong(dateToTimestamp(a.l)));
    put(
        PgType.DATE,
        PgType.TIMESTAMPTZ,
        (ctx, a, out) -> out.setLong(DateTimes.toInstant(ctx.timeZone, dateToTimestamp(a.l))));
    put(PgType.TIMESTAMP, PgType.DATE, (ctx, a, out) -> out.setLong(toDate(a.l)));
    put(
        PgType.TIMESTAMPTZ,
        PgType.DATE,
        (ctx, a, out) -> out.setLong(toDate(DateTimes.toLocal(ctx.timeZone, a.l))));
    put(PgType.TIMESTAMP, PgType.TIME, (ctx, a, out) -> toTime(a.l, out));
    put(
        PgType.TIMESTAMPTZ,
        PgType.TIME,
        (ctx, a, out) -> toTime(DateTimes.toLocal(ctx.timeZone, a.l), out));
    put(
        PgType.TIMESTAMP,
        PgType.TIMESTAMPTZ,
        (ctx, a, out) -> out.setLong(DateTimes.toInstant(ctx.timeZone, a.l)));
    put(
        PgType.TIMESTAMPTZ,
        PgType.TIMESTAMP,
        (ctx, a, out) -> out.setLong(DateTimes.toLocal(ctx.timeZone, a.l)));
    put(PgType.TIME, PgType.INTERVAL, (ctx, a, out) -> Interval.set(out, 0, 0, a.l));
    put(
        PgType.INTERVAL,
        PgType.TIME,
        (ctx, a, out) -> out.setLong(Math.floorMod(Interval.micros(a), DateTimes.USECS_PER_DAY)));
  }

  private static void json() {
    put(PgType.JSON, PgType.TEXT, SAME);
    put(PgType.JSON, PgType.VARCHAR, SAME);
    put(PgType.JSON, PgType.BPCHAR, SAME);
    put(
        PgType.JSONB,
        PgType.BOOL,
        (ctx, a, out) -> {
          JsonbView view = new JsonbView(a);
          if (!view.kind().isBoolean()) {
            throw notCast(view, PgType.BOOL);
          }
          out.setBoolean(view.kind() == JsonbKind.TRUE);
        });
    put(PgType.JSONB, PgType.NUMERIC, (ctx, a, out) -> number(a, PgType.NUMERIC, out));
    for (PgType to : INTEGERS) {
      put(
          PgType.JSONB,
          to,
          (ctx, a, out) -> {
            number(a, to, out);
            out.setLong(fromNumeric(out, to));
          });
    }
    put(
        PgType.JSONB,
        PgType.FLOAT4,
        (ctx, a, out) -> {
          number(a, PgType.FLOAT4, out);
          out.setDouble(toFloat4(out));
        });
    put(
        PgType.JSONB,
        PgType.FLOAT8,
        (ctx, a, out) -> {
          number(a, PgType.FLOAT8, out);
          out.setDouble(toFloat8(out));
        });
  }

  private static void number(Value jsonb, PgType to, Value out) {
    JsonbView view = new JsonbView(jsonb);
    if (!view.kind().isNumber()) {
      throw notCast(view, to);
    }
    view.getNumber(out);
  }

  private static GaussException notCast(JsonbView view, PgType to) {
    String what = view.kind().isNumber() ? "numeric" : view.kind().typeName();
    return new GaussException(
        SqlState.INVALID_PARAMETER_VALUE,
        "cannot cast jsonb " + what + " to type " + to.displayName());
  }

  /** Midnight of a date. */
  public static long dateToTimestamp(long days) {
    if (!DateTimes.isFiniteDate(days)) {
      return days > 0 ? DateTimes.INFINITY : DateTimes.MINUS_INFINITY;
    }
    if (days >= DateTimes.END_TIMESTAMP / DateTimes.USECS_PER_DAY) {
      throw new GaussException(SqlState.DATETIME_FIELD_OVERFLOW, "date out of range for timestamp");
    }
    return days * DateTimes.USECS_PER_DAY;
  }

  static long toDate(long micros) {
    if (!DateTimes.isFinite(micros)) {
      return micros > 0 ? DateTimes.DATE_INFINITY : DateTimes.DATE_MINUS_INFINITY;
    }
    return DateTimes.daysOf(micros);
  }

  private static void toTime(long micros, Value out) {
    if (DateTimes.isFinite(micros)) {
      out.setLong(DateTimes.timeOf(micros));
    } else {
      out.setNull();
    }
  }
}
