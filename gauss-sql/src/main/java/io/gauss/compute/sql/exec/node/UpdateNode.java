package io.gauss.compute.sql.exec.node;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Updates the rows whose keys its input emits, each at most once.
 *
 * @param rowKeyColumn input column with the target row's key
 * @param targetColumns by table column: its position in the input, -1 = absent. When a row has
 *     changed meanwhile (READ COMMITTED), these columns are replaced by its newest version before
 *     recheck and set values are evaluated
 * @param setColumns table columns to set
 * @param setValues over the input columns, of the columns' types
 * @param recheck whole WHERE and join condition over the input columns; null = true
 * @param returning over the new row's columns in table order ++ the input columns; null = none
 */
public record UpdateNode(
    TableDef table,
    PlanNode input,
    int rowKeyColumn,
    int[] targetColumns,
    int[] setColumns,
    Expr[] setValues,
    Expr recheck,
    Expr[] returning,
    PgType[] types)
    implements PlanNode {
  public UpdateNode(
      TableDef table,
      PlanNode input,
      int rowKeyColumn,
      int[] targetColumns,
      int[] setColumns,
      Expr[] setValues,
      Expr recheck,
      Expr[] returning) {
    this(
        table,
        input,
        rowKeyColumn,
        targetColumns,
        setColumns,
        setValues,
        recheck,
        returning,
        NodeTypes.of(returning));
  }

  @Override
  public List<PlanNode> children() {
    return List.of(input);
  }
}
