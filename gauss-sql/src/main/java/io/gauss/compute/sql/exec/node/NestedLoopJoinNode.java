package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Joins by going through the inner input for each outer row. With slots, their values are computed
 * from the outer row and the inner input is reopened for each (an index join, when the inner node
 * is an access by key). Without slots, the inner input is read once and kept.
 *
 * @param joinType RIGHT and FULL only without slots
 * @param slots parameter slots to set from the outer row before the inner input is opened
 * @param sources values for the slots, over the outer columns
 * @param condition over outer ++ inner columns, or null
 */
public record NestedLoopJoinNode(
    JoinType joinType,
    PlanNode outer,
    PlanNode inner,
    int[] slots,
    Expr[] sources,
    Expr condition,
    PgType[] types)
    implements PlanNode {
  public NestedLoopJoinNode(
      JoinType joinType,
      PlanNode outer,
      PlanNode inner,
      int[] slots,
      Expr[] sources,
      Expr condition) {
    this(joinType, outer, inner, slots, sources, condition, NodeTypes.join(joinType, outer, inner));
  }

  @Override
  public List<PlanNode> children() {
    return List.of(outer, inner);
  }
}
