package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Skips {@code offset} rows and passes {@code limit} rows on. Either may be null or evaluate to
 * NULL: none. Both are of type bigint and see no columns.
 */
public record LimitNode(PlanNode input, Expr limit, Expr offset) implements PlanNode {
  @Override
  public PgType[] types() {
    return input.types();
  }

  @Override
  public List<PlanNode> children() {
    return List.of(input);
  }
}
