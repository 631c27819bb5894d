package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.call.ResolvedAggregate;
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Window functions over one partitioning and order. The input is sorted by partition, then order;
 * the functions' results are added after its columns.
 *
 * @param types input types ++ result types
 */
public record WindowNode(
    PlanNode input, int[] partition, SortKey[] order, Call[] calls, PgType[] types)
    implements PlanNode {
  /**
   * One function.
   *
   * @param aggregate null unless the function is {@link WindowFunction#AGGREGATE}
   * @param arguments positions in the input
   * @param filter position of a boolean, -1 = none
   */
  public record Call(
      WindowFunction function,
      ResolvedAggregate aggregate,
      int[] arguments,
      int filter,
      WindowFrame frame) {}

  @Override
  public List<PlanNode> children() {
    return List.of(input);
  }
}
