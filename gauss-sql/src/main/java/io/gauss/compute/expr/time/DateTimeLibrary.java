package io.gauss.compute.expr.time;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.call.CastBodies;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.DateTimes;
import io.gauss.compute.type.Interval;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Value;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Operators and functions on dates, times and intervals. */
public final class DateTimeLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    current(define);
    dates(define);
    timestamps(define);
    times(define);
    intervals(define);
    fields(define);
    zones(define);
    makers(define);
    overlaps(define);
  }

  /** OVERLAPS of periods given by two ends, or by a start and a length. */
  private static void overlaps(Define define) {
    for (PgType type : new PgType[] {PgType.TIMESTAMP, PgType.TIMESTAMPTZ, PgType.TIME}) {
      for (boolean firstLength : new boolean[] {false, true}) {
        for (boolean secondLength : new boolean[] {false, true}) {
          String t = type.name();
          String signature =
              "overlaps(%s, %s, %s, %s) bool%s nulls"
                  .formatted(
                      t,
                      firstLength ? "interval" : t,
                      t,
                      secondLength ? "interval" : t,
                      firstLength || secondLength ? " stable" : "");
          define.fnN(
              signature,
              (ctx, v, out) -> {
                end(ctx, type, v[0], v[1], firstLength);
                end(ctx, type, v[2], v[3], secondLength);
                overlaps(v[0], v[1], v[2], v[3], out);
              });
        }
      }
    }
  }

  /** Computes the end of a period from its length. */
  private static void end(EvalContext ctx, PgType type, Value start, Value end, boolean length) {
    if (!length || end.isNull) {
      return;
    }
    if (start.isNull) {
      end.setNull();
    } else if (type.is(PgType.TIME)) {
      end.setLong(wrap(start.l, Interval.micros(end)));
    } else if (type.is(PgType.TIMESTAMP)) {
      end.setLong(plus(start.l, end, 1));
    } else {
      end.setLong(plusZoned(ctx, start.l, end, 1));
    }
  }

  /**
   * The SQL standard's rule: a period with a NULL end is a point; two NULLs or an undecidable case
   * give NULL.
   */
  private static void overlaps(Value s1, Value e1, Value s2, Value e2, Value out) {
    if (!order(s1, e1) || !order(s2, e2)) {
      out.setNull();
    } else if (s1.l == s2.l) {
      if (e1.isNull || e2.isNull) {
        out.setNull();
      } else {
        out.setBoolean(true);
      }
    } else {
      boolean secondLater = s2.l > s1.l;
      long later = secondLater ? s2.l : s1.l;
      Value end = secondLater ? e1 : e2;
      if (end.isNull) {
        out.setNull();
      } else if (later < end.l) {
        out.setBoolean(true);
      } else if (e1.isNull || e2.isNull) {
        out.setNull();
      } else {
        out.setBoolean(false);
      }
    }
  }

  /** Puts the known or earlier end first; false when both are NULL. */
  private static boolean order(Value start, Value end) {
    boolean swap = start.isNull ? !end.isNull : !end.isNull && start.l > end.l;
    if (swap) {
      Value copy = new Value();
      copy.set(start);
      start.set(end);
      end.set(copy);
    }
    return !start.isNull;
  }

  private static void current(Define define) {
    for (String name : new String[] {"now", "transaction_timestamp", "current_timestamp"}) {
      define.fn(
          name + "() timestamptz stable", (ctx, out) -> out.setLong(ctx.transactionTimestamp));
    }
    define.fn(
        "current_timestamp(int4) timestamptz stable",
        (ctx, a, out) ->
            out.setLong(DateTimes.roundFraction(ctx.transactionTimestamp, precision(a))));
    define.fn(
        "statement_timestamp() timestamptz stable",
        (ctx, out) -> out.setLong(ctx.statementTimestamp));
    define.fn(
        "clock_timestamp() timestamptz volatile", (ctx, out) -> out.setLong(ctx.clock.getAsLong()));
    define.fn("localtimestamp() timestamp stable", (ctx, out) -> out.setLong(localNow(ctx)));
    define.fn(
        "localtimestamp(int4) timestamp stable",
        (ctx, a, out) -> out.setLong(DateTimes.roundFraction(localNow(ctx), precision(a))));
    define.fn(
        "current_date() date stable", (ctx, out) -> out.setLong(DateTimes.daysOf(localNow(ctx))));
    define.fn(
        "localtime() time stable", (ctx, out) -> out.setLong(DateTimes.timeOf(localNow(ctx))));
    define.fn(
        "localtime(int4) time stable",
        (ctx, a, out) ->
            out.setLong(DateTimes.roundFraction(DateTimes.timeOf(localNow(ctx)), precision(a))));
  }

  private static int precision(Value a) {
    return (int) Math.clamp(a.l, 0L, 6L);
  }

  private static long localNow(EvalContext ctx) {
    return DateTimes.toLocal(ctx.timeZone, ctx.transactionTimestamp);
  }

  private static void dates(Define define) {
    define.op(
        "+(date, int4) date", (ctx, a, b, out) -> out.setLong(DateTimeMath.addDays(a.l, b.l)));
    define.op(
        "+(int4, date) date", (ctx, a, b, out) -> out.setLong(DateTimeMath.addDays(b.l, a.l)));
    define.op(
        "-(date, int4) date", (ctx, a, b, out) -> out.setLong(DateTimeMath.addDays(a.l, -b.l)));
    define.op(
        "-(date, date) int4",
        (ctx, a, b, out) -> out.setLong(DateTimeMath.subtractDates(a.l, b.l)));
    define.op(
        "+(date, interval) timestamp",
        (ctx, a, b, out) -> out.setLong(plus(CastBodies.dateToTimestamp(a.l), b, 1)));
    define.op(
        "+(interval, date) timestamp",
        (ctx, a, b, out) -> out.setLong(plus(CastBodies.dateToTimestamp(b.l), a, 1)));
    define.op(
        "-(date, interval) timestamp",
        (ctx, a, b, out) -> out.setLong(plus(CastBodies.dateToTimestamp(a.l), b, -1)));
    define.op(
        "+(date, time) timestamp",
        (ctx, a, b, out) ->
            out.setLong(DateTimeMath.addLocal(CastBodies.dateToTimestamp(a.l), 0, 0, b.l)));
    define.op(
        "+(time, date) timestamp",
        (ctx, a, b, out) ->
            out.setLong(DateTimeMath.addLocal(CastBodies.dateToTimestamp(b.l), 0, 0, a.l)));
    define.fn("isfinite(date) bool", (ctx, a, out) -> out.setBoolean(DateTimes.isFiniteDate(a.l)));
  }

  /** timestamp + sign * interval. */
  private static long plus(long timestamp, Value interval, int sign) {
    return DateTimeMath.addLocal(
        timestamp,
        (long) sign * Interval.months(interval),
        (long) sign * Interval.days(interval),
        sign * Interval.micros(interval));
  }

  private static long plusZoned(EvalContext ctx, long instant, Value interval, int sign) {
    return DateTimeMath.addZoned(
        ctx.timeZone,
        instant,
        (long) sign * Interval.months(interval),
        (long) sign * Interval.days(interval),
        sign * Interval.micros(interval));
  }

  private static void timestamps(Define define) {
    define.op("+(timestamp, interval) timestamp", (ctx, a, b, out) -> out.setLong(plus(a.l, b, 1)));
    define.op("+(interval, timestamp) timestamp", (ctx, a, b, out) -> out.setLong(plus(b.l, a, 1)));
    define.op(
        "-(timestamp, interval) timestamp", (ctx, a, b, out) -> out.setLong(plus(a.l, b, -1)));
    define.op(
        "+(timestamptz, interval) timestamptz stable",
        (ctx, a, b, out) -> out.setLong(plusZoned(ctx, a.l, b, 1)));
    define.op(
        "+(interval, timestamptz) timestamptz stable",
        (ctx, a, b, out) -> out.setLong(plusZoned(ctx, b.l, a, 1)));
    define.op(
        "-(timestamptz, interval) timestamptz stable",
        (ctx, a, b, out) -> out.setLong(plusZoned(ctx, a.l, b, -1)));
    for (String type : new String[] {"timestamp", "timestamptz"}) {
      define.op(
          "-(" + type + ", " + type + ") interval",
          (ctx, a, b, out) -> DateTimeMath.subtractTimestamps(a.l, b.l, out));
      define.fn(
          "isfinite(" + type + ") bool", (ctx, a, out) -> out.setBoolean(DateTimes.isFinite(a.l)));
    }
    define.fn(
        "age(timestamp, timestamp) interval", (ctx, a, b, out) -> DateTimeMath.age(a.l, b.l, out));
    define.fn(
        "age(timestamptz, timestamptz) interval stable",
        (ctx, a, b, out) ->
            DateTimeMath.age(
                DateTimes.toLocal(ctx.timeZone, a.l), DateTimes.toLocal(ctx.timeZone, b.l), out));
    define.fn(
        "age(timestamp) interval stable",
        (ctx, a, out) -> DateTimeMath.age(midnight(ctx), a.l, out));
    define.fn(
        "age(timestamptz) interval stable",
        (ctx, a, out) ->
            DateTimeMath.age(midnight(ctx), DateTimes.toLocal(ctx.timeZone, a.l), out));
  }

  private static long midnight(EvalContext ctx) {
    return DateTimes.daysOf(localNow(ctx)) * DateTimes.USECS_PER_DAY;
  }

  private static void times(Define define) {
    define.op("-(time, time) interval", (ctx, a, b, out) -> Interval.set(out, 0, 0, a.l - b.l));
    define.op(
        "+(time, interval) time", (ctx, a, b, out) -> out.setLong(wrap(a.l, Interval.micros(b))));
    define.op(
        "+(interval, time) time", (ctx, a, b, out) -> out.setLong(wrap(b.l, Interval.micros(a))));
    define.op(
        "-(time, interval) time",
        (ctx, a, b, out) ->
            out.setLong(wrap(a.l, -(Interval.micros(b) % DateTimes.USECS_PER_DAY))));
  }

  private static long wrap(long time, long micros) {
    return Math.floorMod(time + micros % DateTimes.USECS_PER_DAY, DateTimes.USECS_PER_DAY);
  }

  private static void intervals(Define define) {
    define.op("+(interval, interval) interval", (ctx, a, b, out) -> DateTimeMath.add(a, b, out));
    define.op(
        "-(interval, interval) interval", (ctx, a, b, out) -> DateTimeMath.subtract(a, b, out));
    define.op("-(interval) interval", (ctx, a, out) -> DateTimeMath.negate(a, out));
    define.op(
        "*(interval, float8) interval", (ctx, a, b, out) -> DateTimeMath.multiply(a, b.d, out));
    define.op(
        "*(float8, interval) interval", (ctx, a, b, out) -> DateTimeMath.multiply(b, a.d, out));
    define.op("/(interval, float8) interval", (ctx, a, b, out) -> DateTimeMath.divide(a, b.d, out));
    define.fn(
        "justify_hours(interval) interval", (ctx, a, out) -> DateTimeMath.justifyHours(a, out));
    define.fn("justify_days(interval) interval", (ctx, a, out) -> DateTimeMath.justifyDays(a, out));
    define.fn(
        "justify_interval(interval) interval",
        (ctx, a, out) -> DateTimeMath.justifyInterval(a, out));
    define.fn("isfinite(interval) bool", (ctx, a, out) -> out.setBoolean(true));
  }

  private static void fields(Define define) {
    define.fn(
        "extract(text, date) numeric", (ctx, a, b, out) -> DateTimeFields.ofDate(a, b.l, out));
    define.fn(
        "extract(text, time) numeric", (ctx, a, b, out) -> DateTimeFields.ofTime(a, b.l, out));
    define.fn("extract(text, timestamp) numeric", DateTimeLibrary::ofTimestamp);
    define.fn("extract(text, timestamptz) numeric stable", DateTimeLibrary::ofInstant);
    define.fn(
        "extract(text, interval) numeric",
        (ctx, a, b, out) -> DateTimeFields.ofInterval(a, b, out));
    define.fn(
        "date_part(text, date) float8",
        (ctx, a, b, out) -> {
          Value timestamp = ctx.acquire();
          timestamp.setLong(CastBodies.dateToTimestamp(b.l));
          Value field = ctx.acquire();
          ofTimestamp(ctx, a, timestamp, field);
          DateTimeFields.toDouble(field, out);
          ctx.release(2);
        });
    part(define, "time", "", (ctx, a, b, out) -> DateTimeFields.ofTime(a, b.l, out));
    part(define, "timestamp", "", DateTimeLibrary::ofTimestamp);
    part(define, "timestamptz", " stable", DateTimeLibrary::ofInstant);
    part(define, "interval", "", (ctx, a, b, out) -> DateTimeFields.ofInterval(a, b, out));
    define.fn(
        "date_trunc(text, timestamp) timestamp",
        (ctx, a, b, out) -> out.setLong(DateTimeFields.truncate(a, b.l, PgType.TIMESTAMP)));
    define.fn(
        "date_trunc(text, timestamptz) timestamptz stable",
        (ctx, a, b, out) -> out.setLong(DateTimeFields.truncateZoned(a, b.l, ctx.timeZone)));
    define.fn(
        "date_trunc(text, timestamptz, text) timestamptz stable",
        (ctx, a, b, c, out) ->
            out.setLong(DateTimeFields.truncateZoned(a, b.l, DateTimeFields.zone(c))));
    for (String type : new String[] {"timestamp", "timestamptz"}) {
      define.fn(
          "date_bin(interval, " + type + ", " + type + ") " + type,
          (ctx, a, b, c, out) -> out.setLong(DateTimeMath.bin(a, b.l, c.l)));
    }
    define.fn(
        "date_trunc(text, interval) interval",
        (ctx, a, b, out) -> DateTimeFields.truncateInterval(a, b, out));
  }

  private static void part(Define define, String type, String flags, FunctionDef.Fn2 extract) {
    define.fn(
        "date_part(text, " + type + ") float8" + flags,
        (ctx, a, b, out) -> {
          Value field = ctx.acquire();
          extract.apply(ctx, a, b, field);
          DateTimeFields.toDouble(field, out);
          ctx.release();
        });
  }

  private static void ofTimestamp(EvalContext ctx, Value unit, Value a, Value out) {
    DateTimeFields.ofTimestamp(unit, a.l, a.l, 0, PgType.TIMESTAMP, out);
  }

  private static void ofInstant(EvalContext ctx, Value unit, Value a, Value out) {
    boolean finite = DateTimes.isFinite(a.l);
    int offset = finite ? DateTimes.offsetAt(ctx.timeZone, a.l) : 0;
    DateTimeFields.ofTimestamp(
        unit,
        a.l,
        finite ? a.l + offset * DateTimes.USECS_PER_SECOND : a.l,
        offset,
        PgType.TIMESTAMPTZ,
        out);
  }

  /** AT TIME ZONE. */
  private static void zones(Define define) {
    define.fn(
        "timezone(text, timestamp) timestamptz",
        (ctx, a, b, out) ->
            out.setLong(
                DateTimes.isFinite(b.l) ? DateTimes.toInstant(DateTimeFields.zone(a), b.l) : b.l));
    define.fn(
        "timezone(text, timestamptz) timestamp",
        (ctx, a, b, out) ->
            out.setLong(
                DateTimes.isFinite(b.l) ? DateTimes.toLocal(DateTimeFields.zone(a), b.l) : b.l));
    define.fn(
        "timezone(interval, timestamp) timestamptz",
        (ctx, a, b, out) -> out.setLong(DateTimes.toInstant(offset(a), b.l)));
    define.fn(
        "timezone(interval, timestamptz) timestamp",
        (ctx, a, b, out) -> out.setLong(DateTimes.toLocal(offset(a), b.l)));
  }

  private static ZoneId offset(Value interval) {
    if (Interval.months(interval) != 0 || Interval.days(interval) != 0) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE, "interval time zone must not include months or days");
    }
    long seconds = Interval.micros(interval) / DateTimes.USECS_PER_SECOND;
    if (Math.abs(seconds) > 18 * 3600) {
      throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, "interval time zone out of range");
    }
    return ZoneOffset.ofTotalSeconds((int) seconds);
  }

  private static void makers(Define define) {
    define.fn(
        "make_date(int4, int4, int4) date",
        (ctx, a, b, c, out) -> out.setLong(makeDate(a.l, b.l, c.l)));
    define.fn(
        "make_time(int4, int4, float8) time",
        (ctx, a, b, c, out) -> out.setLong(makeTime(a.l, b.l, c.d)));
    define.fnN(
        "make_timestamp(int4, int4, int4, int4, int4, float8) timestamp",
        (ctx, v, out) -> out.setLong(makeTimestamp(v)));
    define.fnN(
        "make_timestamptz(int4, int4, int4, int4, int4, float8) timestamptz stable",
        (ctx, v, out) -> out.setLong(DateTimes.toInstant(ctx.timeZone, makeTimestamp(v))));
    define.fnN(
        "make_timestamptz(int4, int4, int4, int4, int4, float8, text) timestamptz stable",
        (ctx, v, out) ->
            out.setLong(DateTimes.toInstant(DateTimeFields.saneZone(v[6]), makeTimestamp(v))));
    define.fnN(
        "make_interval(int4, int4, int4, int4, int4, int4, float8) interval",
        (ctx, v, out) ->
            Interval.set(
                out,
                v[0].l * 12 + v[1].l,
                v[2].l * 7 + v[3].l,
                v[4].l * DateTimes.USECS_PER_HOUR
                    + v[5].l * DateTimes.USECS_PER_MINUTE
                    + (long) Math.rint(v[6].d * DateTimes.USECS_PER_SECOND)));
    define.fn("to_timestamp(float8) timestamptz", (ctx, a, out) -> out.setLong(fromEpoch(a.d)));
  }

  private static long makeDate(long year, long month, long day) {
    boolean valid =
        year != 0
            && year >= -4713
            && year <= 5874897
            && month >= 1
            && month <= 12
            && day >= 1
            && day <= DateTimes.daysOfMonth((int) (year < 0 ? year + 1 : year), (int) month);
    if (!valid) {
      throw new GaussException(
          SqlState.DATETIME_FIELD_OVERFLOW,
          "date field value out of range: %d-%02d-%02d".formatted(year, month, day));
    }
    return DateTimes.days((int) (year < 0 ? year + 1 : year), (int) month, (int) day);
  }

  private static long makeTime(long hour, long minute, double second) {
    boolean valid =
        hour >= 0
            && minute >= 0
            && minute < 60
            && second >= 0
            && second <= 60
            && (hour < 24 || (hour == 24 && minute == 0 && second == 0));
    if (!valid) {
      throw new GaussException(
          SqlState.DATETIME_FIELD_OVERFLOW,
          "time field value out of range: %d:%02d:%s".formatted(hour, minute, seconds(second)));
    }
    return hour * DateTimes.USECS_PER_HOUR
        + minute * DateTimes.USECS_PER_MINUTE
        + (long) Math.rint(second * DateTimes.USECS_PER_SECOND);
  }

  private static String seconds(double second) {
    return second == Math.rint(second) ? "%02d".formatted((long) second) : String.valueOf(second);
  }

  private static long makeTimestamp(Value[] v) {
    long days = makeDate(v[0].l, v[1].l, v[2].l);
    return DateTimeMath.addLocal(
        CastBodies.dateToTimestamp(days), 0, 0, makeTime(v[3].l, v[4].l, v[5].d));
  }

  private static long fromEpoch(double seconds) {
    if (Double.isNaN(seconds)) {
      throw new GaussException(SqlState.DATETIME_FIELD_OVERFLOW, "timestamp cannot be NaN");
    }
    if (Double.isInfinite(seconds)) {
      return seconds > 0 ? DateTimes.INFINITY : DateTimes.MINUS_INFINITY;
    }
    double micros =
        Math.rint((seconds - DateTimes.UNIX_EPOCH_SECONDS) * DateTimes.USECS_PER_SECOND);
    if (Math.abs(micros) >= 0x1p63 || !DateTimes.isValidTimestamp((long) micros)) {
      Value shown = new Value();
      shown.setDouble(seconds);
      throw new GaussException(
          SqlState.DATETIME_FIELD_OVERFLOW,
          "timestamp out of range: \""
              + TypeCodec.of(PgType.FLOAT8).toText(shown, TypeContext.DEFAULT)
              + "\"");
    }
    return (long) micros;
  }
}
