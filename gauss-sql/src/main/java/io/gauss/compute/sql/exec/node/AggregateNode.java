package io.gauss.compute.sql.exec.node;

import io.gauss.compute.type.PgType;
import java.util.Arrays;
import java.util.List;

/**
 * Groups and aggregates; emits group columns ++ aggregates. Without group columns there is exactly
 * one row.
 *
 * @param sorted whether rows of the same group are adjacent in the input: then only one group at a
 *     time is held; else all groups are in a hash table that spills above the work memory
 */
public record AggregateNode(
    PlanNode input, int[] groupColumns, AggregateCall[] calls, boolean sorted, PgType[] types)
    implements PlanNode {
  public AggregateNode(PlanNode input, int[] groupColumns, AggregateCall[] calls, boolean sorted) {
    this(input, groupColumns, calls, sorted, types(input, groupColumns, calls));
  }

  private static PgType[] types(PlanNode input, int[] groupColumns, AggregateCall[] calls) {
    PgType[] types = Arrays.copyOf(NodeTypes.NONE, groupColumns.length + calls.length);
    for (int i = 0; i < groupColumns.length; i++) {
      types[i] = input.types()[groupColumns[i]];
    }
    for (int i = 0; i < calls.length; i++) {
      types[groupColumns.length + i] = calls[i].type();
    }
    return types;
  }

  @Override
  public List<PlanNode> children() {
    return List.of(input);
  }
}
