package io.gauss.compute.expr.aggregate;

import io.gauss.compute.expr.call.AggregateDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.List;
import java.util.Set;

/**
 * The ordered-set aggregates. For each row, in the aggregate's order, their accumulators receive
 * the value that is ordered by, and then the direct argument.
 */
public final class OrderedSetLibrary implements FunctionRegistry.Library {
  public static final Set<String> NAMES = Set.of("mode", "percentile_cont", "percentile_disc");

  @Override
  public void register(Builder to) {
    for (PgType type : new PgType[] {PgType.FLOAT8, PgType.INTERVAL}) {
      add(to, "percentile_cont", List.of(type, PgType.FLOAT8), type);
      add(to, "percentile_cont", List.of(type, PgType.FLOAT8_ARRAY), type.array());
    }
    for (PgType type : PgTypes.scalars()) {
      if (type.array() != null) {
        anyOrder(to, type);
      }
    }
  }

  @Override
  public void registerEnum(Builder to, PgType type) {
    anyOrder(to, type);
  }

  private static void anyOrder(Builder to, PgType type) {
    add(to, "percentile_disc", List.of(type, PgType.FLOAT8), type);
    add(to, "percentile_disc", List.of(type, PgType.FLOAT8_ARRAY), type.array());
    to.add(
        new AggregateDef(
            "mode", List.of(type), type, true, true, types -> new ModeAccumulator(types[0])));
  }

  private static void add(Builder to, String name, List<PgType> arguments, PgType result) {
    boolean continuous = name.equals("percentile_cont");
    to.add(
        new AggregateDef(
            name,
            arguments,
            result,
            true,
            true,
            types -> new PercentileAccumulator(types[0], continuous, types[1].isArray())));
  }
}
