package io.gauss.compute.expr.json;

import io.gauss.compute.expr.call.AggregateDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.PgType;
import java.util.List;

/** json_agg, jsonb_agg, json_object_agg, jsonb_object_agg: NULLs are aggregated as others. */
public final class JsonAggregateLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    List<PgType> one = List.of(PgType.ANYELEMENT);
    List<PgType> pair = List.of(PgType.ANY, PgType.ANY);
    to.add(
        new AggregateDef(
            "json_agg", one, PgType.JSON, false, true, types -> new JsonAccumulator(types)));
    to.add(
        new AggregateDef(
            "json_object_agg",
            pair,
            PgType.JSON,
            false,
            true,
            types -> new JsonAccumulator(types)));
    to.add(
        new AggregateDef(
            "jsonb_agg", one, PgType.JSONB, false, true, types -> new JsonbAccumulator(types)));
    to.add(
        new AggregateDef(
            "jsonb_object_agg",
            pair,
            PgType.JSONB,
            false,
            true,
            types -> new JsonbAccumulator(types)));
  }
}
