package io.gauss.compute.expr.aggregate;

import io.gauss.compute.expr.call.AggregateDef;
import io.gauss.compute.expr.call.AggregateDef.Factory;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Aggregate functions with PostgreSQL's result types. */
public final class AggregateLibrary implements FunctionRegistry.Library {
  private Builder to;

  @Override
  public void register(Builder builder) {
    to = builder;
    to.add(
        new AggregateDef(
            "count", List.of(), PgType.INT8, false, false, types -> new Accumulators.Count()));
    to.add(
        new AggregateDef(
            "count",
            List.of(PgType.ANY),
            PgType.INT8,
            true,
            false,
            types -> new Accumulators.Count()));
    sums();
    extremes();
    for (String name : new String[] {"bool_and", "every"}) {
      add(name, "(bool) bool", types -> new Accumulators.BooleanFold(true));
    }
    add("bool_or", "(bool) bool", types -> new Accumulators.BooleanFold(false));
    for (String type : new String[] {"int2", "int4", "int8"}) {
      add("bit_and", "(" + type + ") " + type, types -> new Accumulators.BitFold('&'));
      add("bit_or", "(" + type + ") " + type, types -> new Accumulators.BitFold('|'));
      add("bit_xor", "(" + type + ") " + type, types -> new Accumulators.BitFold('#'));
    }
    add("string_agg", "(text, text) text", types -> new Accumulators.Joined());
    add("string_agg", "(bytea, bytea) bytea", types -> new Accumulators.Joined());
    variances();
    regressions();
  }

  @Override
  public void registerEnum(Builder builder, PgType type) {
    for (int sign : new int[] {-1, 1}) {
      builder.add(
          new AggregateDef(
              sign < 0 ? "min" : "max",
              List.of(type),
              type,
              true,
              true,
              types -> new Accumulators.Extreme(types[0], sign)));
    }
  }

  private void add(String name, String signature, Factory factory) {
    int close = signature.indexOf(')');
    List<PgType> arguments =
        Arrays.stream(signature.substring(1, close).split(","))
            .map(a -> Define.type(a.strip()))
            .toList();
    PgType result = Define.type(signature.substring(close + 1).strip());
    to.add(new AggregateDef(name, arguments, result, true, true, factory));
  }

  private void sums() {
    add("sum", "(int2) int8", types -> new Accumulators.IntegerSum());
    add("sum", "(int4) int8", types -> new Accumulators.IntegerSum());
    add("sum", "(int8) numeric", types -> new Accumulators.BigSum(false));
    add("sum", "(numeric) numeric", types -> new Accumulators.NumericSum(false));
    add("sum", "(float4) float4", types -> new Accumulators.FloatSum(true, false));
    add("sum", "(float8) float8", types -> new Accumulators.FloatSum(false, false));
    add("sum", "(interval) interval", types -> new Accumulators.IntervalSum(false));
    add("avg", "(int2) numeric", types -> new Accumulators.BigSum(true));
    add("avg", "(int4) numeric", types -> new Accumulators.BigSum(true));
    add("avg", "(int8) numeric", types -> new Accumulators.BigSum(true));
    add("avg", "(numeric) numeric", types -> new Accumulators.NumericSum(true));
    add("avg", "(float4) float8", types -> new Accumulators.FloatSum(false, true));
    add("avg", "(float8) float8", types -> new Accumulators.FloatSum(false, true));
    add("avg", "(interval) interval", types -> new Accumulators.IntervalSum(true));
  }

  private void extremes() {
    for (PgType type : PgTypes.scalars()) {
      boolean ordered =
          switch (type.name()) {
            case "int2",
                "int4",
                "int8",
                "oid",
                "float4",
                "float8",
                "numeric",
                "text",
                "bpchar",
                "date",
                "time",
                "timestamp",
                "timestamptz",
                "interval" ->
                true;
            default -> false;
          };
      if (ordered) {
        String signature = "(" + type.name() + ") " + type.name();
        add("min", signature, types -> new Accumulators.Extreme(types[0], -1));
        add("max", signature, types -> new Accumulators.Extreme(types[0], 1));
      }
    }
  }

  private void regressions() {
    for (RegressionAccumulator.Result result : RegressionAccumulator.Result.values()) {
      boolean count = result == RegressionAccumulator.Result.REGR_COUNT;
      to.add(
          new AggregateDef(
              result.name().toLowerCase(Locale.ROOT),
              List.of(PgType.FLOAT8, PgType.FLOAT8),
              count ? PgType.INT8 : PgType.FLOAT8,
              true,
              false,
              types -> new RegressionAccumulator(result)));
    }
  }

  private void variances() {
    String[] names = {"var_pop", "var_samp", "variance", "stddev_pop", "stddev_samp", "stddev"};
    for (String name : names) {
      boolean population = name.endsWith("_pop");
      boolean root = name.startsWith("stddev");
      for (String type : new String[] {"int2", "int4", "int8", "numeric"}) {
        add(
            name,
            "(" + type + ") numeric",
            types -> new Accumulators.NumericVariance(population, root, types[0]));
      }
      for (String type : new String[] {"float4", "float8"}) {
        add(
            name,
            "(" + type + ") float8",
            types -> new Accumulators.FloatVariance(population, root));
      }
    }
  }
}
