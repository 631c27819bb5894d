package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;
import java.util.List;

/** Computes columns. */
public record ProjectNode(PlanNode input, Expr[] columns, PgType[] types) implements PlanNode {
  public ProjectNode(PlanNode input, Expr[] columns) {
    this(input, columns, NodeTypes.of(columns));
  }

  @Override
  public List<PlanNode> children() {
    return List.of(input);
  }
}
