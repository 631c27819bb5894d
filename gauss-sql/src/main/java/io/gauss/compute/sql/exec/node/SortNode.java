package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Sorts; spills when the rows exceed the work memory.
 *
 * @param limit with {@code offset}: only that many first rows are needed (top-N); a limit node
 *     above still cuts. Null = all
 * @param offset null = 0
 */
public record SortNode(PlanNode input, SortKey[] keys, Expr limit, Expr offset)
    implements PlanNode {
  @Override
  public PgType[] types() {
    return input.types();
  }

  @Override
  public List<PlanNode> children() {
    return List.of(input);
  }
}
