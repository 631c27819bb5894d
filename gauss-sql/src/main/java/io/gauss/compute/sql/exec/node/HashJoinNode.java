package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Equi-join; the right input is built into a hash table, and both are partitioned to disk when it
 * exceeds the work memory. NULL keys match nothing.
 *
 * @param leftKeys columns of the left input
 * @param rightKeys columns of the right input, of the same types
 * @param residual further condition over left ++ right columns, or null
 * @param nullAware ANTI with one key only, {@code NOT IN}: a NULL among the right keys rejects all
 *     left rows, and a left NULL passes only when the right input is empty. With a residual it is
 *     not allowed
 */
public record HashJoinNode(
    JoinType joinType,
    PlanNode left,
    PlanNode right,
    int[] leftKeys,
    int[] rightKeys,
    Expr residual,
    boolean nullAware,
    PgType[] types)
    implements PlanNode {
  public HashJoinNode(
      JoinType joinType,
      PlanNode left,
      PlanNode right,
      int[] leftKeys,
      int[] rightKeys,
      Expr residual,
      boolean nullAware) {
    this(
        joinType,
        left,
        right,
        leftKeys,
        rightKeys,
        residual,
        nullAware,
        NodeTypes.join(joinType, left, right));
  }

  @Override
  public List<PlanNode> children() {
    return List.of(left, right);
  }
}
