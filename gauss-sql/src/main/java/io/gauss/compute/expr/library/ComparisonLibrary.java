package io.gauss.compute.expr.library;

import io.gauss.compute.expr.Comparisons;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Volatility;
import io.gauss.compute.expr.call.Calls;
import io.gauss.compute.expr.call.FunctionDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.DateTimes;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.List;

/**
 * = &lt;&gt; &lt; &lt;= &gt; &gt;= for all types, and between different types where PostgreSQL has
 * them.
 */
final class ComparisonLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    for (PgType type : PgTypes.scalars()) {
      boolean own =
          !type.isPseudo()
              && !type.isUnknown()
              && type.isComparable()
              && !type.is(PgType.VARCHAR)
              && !type.is(PgType.REGCLASS)
              && !type.is(PgType.REGTYPE)
              && !type.is(PgType.REGPROC)
              && !type.is(PgType.REGPROCEDURE)
              && !type.is(PgType.REGNAMESPACE)
              && !type.is(PgType.REGROLE)
              && !type.is(PgType.REGOPERATOR);
      if (own) {
        same(to, type, type, type);
      }
    }
    List<PgType> integers = List.of(PgType.INT2, PgType.INT4, PgType.INT8);
    for (PgType a : integers) {
      for (PgType b : integers) {
        if (a != b) {
          same(to, a, b, PgType.INT8);
        }
      }
    }
    same(to, PgType.FLOAT4, PgType.FLOAT8, PgType.FLOAT8);
    same(to, PgType.FLOAT8, PgType.FLOAT4, PgType.FLOAT8);
    same(to, PgType.NAME, PgType.TEXT, PgType.TEXT);
    same(to, PgType.TEXT, PgType.NAME, PgType.TEXT);
    for (PgType array : PgTypes.arrays()) {
      same(to, array, array, array);
    }
    across(to, PgType.DATE, PgType.TIMESTAMP, Volatility.IMMUTABLE);
    across(to, PgType.DATE, PgType.TIMESTAMPTZ, Volatility.STABLE);
    across(to, PgType.TIMESTAMP, PgType.TIMESTAMPTZ, Volatility.STABLE);
  }

  @Override
  public void registerEnum(Builder to, PgType type) {
    same(to, type, type, type);
    same(to, type.array(), type.array(), type.array());
  }

  /** Both sides have one representation, that of {@code order}. */
  private static void same(Builder to, PgType a, PgType b, PgType order) {
    for (int i = 0; i < Comparisons.SYMBOLS.length; i++) {
      int operator = i;
      add(
          to,
          i,
          a,
          b,
          Volatility.IMMUTABLE,
          (f, args) -> Comparisons.create(operator, order, args[0], args[1]));
    }
  }

  private static void add(
      Builder to, int operator, PgType a, PgType b, Volatility v, FunctionDef.Factory factory) {
    to.add(
        new FunctionDef(
            Comparisons.SYMBOLS[operator],
            true,
            List.of(a, b),
            false,
            PgType.BOOL,
            v,
            true,
            factory));
  }

  /** Compares a date or timestamp with a wider type, in both operand orders. */
  private static void across(Builder to, PgType narrow, PgType wide, Volatility v) {
    for (int i = 0; i < Comparisons.SYMBOLS.length; i++) {
      int operator = i;
      add(
          to,
          i,
          narrow,
          wide,
          v,
          (f, args) ->
              new Calls.Call2(
                  f,
                  args,
                  (ctx, a, b, out) ->
                      out.setBoolean(
                          Comparisons.holds(operator, widen(ctx, a.l, narrow, wide), b.l))));
      add(
          to,
          i,
          wide,
          narrow,
          v,
          (f, args) ->
              new Calls.Call2(
                  f,
                  args,
                  (ctx, a, b, out) ->
                      out.setBoolean(
                          Comparisons.holds(operator, a.l, widen(ctx, b.l, narrow, wide)))));
    }
  }

  /** As a value of the wider type; dates outside its range count as its infinity. */
  private static long widen(EvalContext ctx, long value, PgType narrow, PgType wide) {
    long local = value;
    if (narrow.is(PgType.DATE)) {
      boolean beyond =
          !DateTimes.isFiniteDate(value)
              || value >= DateTimes.END_TIMESTAMP / DateTimes.USECS_PER_DAY;
      local =
          beyond
              ? (value > 0 ? DateTimes.INFINITY : DateTimes.MINUS_INFINITY)
              : value * DateTimes.USECS_PER_DAY;
    }
    return wide.is(PgType.TIMESTAMPTZ) ? DateTimes.toInstant(ctx.timeZone, local) : local;
  }
}
