package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.call.ResolvedAggregate;
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.type.PgType;

/**
 * One aggregate of an {@link AggregateNode}.
 *
 * @param function the overload; one of {@code InternalAggregates} when SQL has no name for it
 * @param arguments input columns, of the overload's argument types
 * @param distinct whether equal argument values count once
 * @param filterColumn boolean input column that must be true, -1 = none
 * @param order input columns to order the rows of a group by before they are aggregated; empty =
 *     input order
 */
public record AggregateCall(
    ResolvedAggregate function,
    int[] arguments,
    boolean distinct,
    int filterColumn,
    SortKey[] order) {
  private static final SortKey[] NO_ORDER = new SortKey[0];

  public AggregateCall(
      ResolvedAggregate function, int[] arguments, boolean distinct, int filterColumn) {
    this(function, arguments, distinct, filterColumn, NO_ORDER);
  }

  PgType type() {
    return function.resultType();
  }
}
