package io.gauss.compute.sql.exec.node;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Deletes the rows whose keys its input emits. Components as in {@link UpdateNode}.
 *
 * @param returning over the old row's columns in table order ++ the input columns; null = none
 */
public record DeleteNode(
    TableDef table,
    PlanNode input,
    int rowKeyColumn,
    int[] targetColumns,
    Expr recheck,
    Expr[] returning,
    PgType[] types)
    implements PlanNode {
  public DeleteNode(
      TableDef table,
      PlanNode input,
      int rowKeyColumn,
      int[] targetColumns,
      Expr recheck,
      Expr[] returning) {
    this(table, input, rowKeyColumn, targetColumns, recheck, returning, NodeTypes.of(returning));
  }

  @Override
  public List<PlanNode> children() {
    return List.of(input);
  }
}
