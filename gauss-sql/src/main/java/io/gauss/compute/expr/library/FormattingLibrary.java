package io.gauss.compute.expr.library;

import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.expr.number.NumberFormat;
import io.gauss.compute.expr.time.DateFormatParser;
import io.gauss.compute.expr.time.DateFormatter;
import io.gauss.compute.type.DateTimes;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.PgType;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** to_char, to_date, to_timestamp and to_number. */
final class FormattingLibrary implements FunctionRegistry.Library {
  private static final int ALL_DIGITS = Integer.MAX_VALUE;

  /** C's FLT_DIG and DBL_DIG: decimal digits that a float keeps. */
  private static final int FLOAT4_DIGITS = 6;

  private static final int FLOAT8_DIGITS = 15;

  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    define.fn(
        "to_char(timestamp, text) text stable",
        (ctx, a, b, out) -> {
          if (b.len == 0 || !DateTimes.isFinite(a.l)) {
            out.setNull();
          } else {
            Texts.set(ctx, DateFormatter.timestamp(a.l, 0, null, a.l, Texts.get(b)), out);
          }
        });
    define.fn(
        "to_char(timestamptz, text) text stable",
        (ctx, a, b, out) -> {
          if (b.len == 0 || !DateTimes.isFinite(a.l)) {
            out.setNull();
            return;
          }
          int offset = DateTimes.offsetAt(ctx.timeZone, a.l);
          long local = a.l + offset * DateTimes.USECS_PER_SECOND;
          Texts.set(
              ctx, DateFormatter.timestamp(local, offset, ctx.timeZone, a.l, Texts.get(b)), out);
        });
    define.fn(
        "to_char(interval, text) text stable",
        (ctx, a, b, out) -> {
          if (b.len == 0) {
            out.setNull();
          } else {
            Texts.set(ctx, DateFormatter.interval(a, Texts.get(b)), out);
          }
        });
    numbers(define);
    define.fn(
        "to_date(text, text) date stable",
        (ctx, a, b, out) -> {
          DateFormatParser parser = new DateFormatParser(Texts.get(a), Texts.get(b));
          parser.parse();
          parser.timeOfDay();
          out.setLong(parser.days());
        });
    define.fn(
        "to_timestamp(text, text) timestamptz stable",
        (ctx, a, b, out) -> {
          DateFormatParser parser = new DateFormatParser(Texts.get(a), Texts.get(b));
          parser.parse();
          long local = parser.days() * DateTimes.USECS_PER_DAY + parser.timeOfDay();
          out.setLong(
              parser.offset() == null
                  ? DateTimes.toInstant(ctx.timeZone, local)
                  : local - parser.offset() * DateTimes.USECS_PER_SECOND);
        });
    define.fn(
        "to_number(text, text) numeric stable",
        (ctx, a, b, out) -> {
          if (b.len == 0) {
            out.setNull();
          } else {
            out.setNumeric(new NumberFormat(Texts.get(b)).parse(Texts.get(a)));
          }
        });
  }

  private static void numbers(Define define) {
    for (PgType type : new PgType[] {PgType.INT4, PgType.INT8}) {
      define.fn(
          "to_char(" + type.name() + ", text) text stable",
          (ctx, a, b, out) ->
              Texts.set(
                  ctx,
                  new NumberFormat(Texts.get(b))
                      .format(
                          BigDecimal.valueOf(a.l), null, false, RoundingMode.HALF_UP, ALL_DIGITS),
                  out));
    }
    define.fn(
        "to_char(numeric, text) text stable",
        (ctx, a, b, out) -> {
          boolean special = a.special != 0;
          Texts.set(
              ctx,
              new NumberFormat(Texts.get(b))
                  .format(
                      special ? null : Numerics.toBig(a),
                      a.special == 0 ? null : a.special == Numerics.NAN ? "NaN" : "Infinity",
                      a.special == Numerics.MINUS_INFINITY,
                      RoundingMode.HALF_UP,
                      ALL_DIGITS),
              out);
        });
    for (PgType type : new PgType[] {PgType.FLOAT4, PgType.FLOAT8}) {
      define.fn(
          "to_char(" + type.name() + ", text) text stable",
          (ctx, a, b, out) -> {
            boolean special = Double.isNaN(a.d) || Double.isInfinite(a.d);
            Texts.set(
                ctx,
                new NumberFormat(Texts.get(b))
                    .format(
                        special ? null : new BigDecimal(a.d),
                        special ? (Double.isNaN(a.d) ? "NaN" : "Infinity") : null,
                        a.d < 0,
                        RoundingMode.HALF_EVEN,
                        type.is(PgType.FLOAT4) ? FLOAT4_DIGITS : FLOAT8_DIGITS),
                out);
          });
    }
  }
}
