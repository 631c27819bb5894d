package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * A correlated subquery as a value: for each outer row the slots are set, the inner input is
 * opened, and one column is added to the outer columns.
 *
 * @param kind the content of the added column
 * @param types outer types ++ type of the added column
 */
public record ApplyNode(
    Kind kind, PlanNode outer, PlanNode inner, int[] slots, Expr[] sources, PgType[] types)
    implements PlanNode {
  /** What an {@link ApplyNode} computes. */
  public enum Kind {
    /** The inner input's only column, NULL without a row; 21000 with more than one. */
    SCALAR,
    /** Whether the inner input has a row. */
    EXISTS
  }

  @Override
  public List<PlanNode> children() {
    return List.of(outer, inner);
  }
}
