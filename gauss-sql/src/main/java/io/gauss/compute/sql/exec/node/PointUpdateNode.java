package io.gauss.compute.sql.exec.node;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;

/**
 * Updates at most one row given by its whole primary key: UPDATE t SET … WHERE pk = … without
 * subqueries.
 *
 * @param key values of all primary key columns, without column references; NULL finds nothing
 * @param filter further condition over the row's columns in table order, or null
 * @param setValues over the row's columns in table order, of the columns' types
 * @param returning over the new row's columns in table order; null = none
 */
public record PointUpdateNode(
    TableDef table,
    Expr[] key,
    Expr filter,
    int[] setColumns,
    Expr[] setValues,
    Expr[] returning,
    PgType[] types)
    implements PlanNode {
  public PointUpdateNode(
      TableDef table,
      Expr[] key,
      Expr filter,
      int[] setColumns,
      Expr[] setValues,
      Expr[] returning) {
    this(table, key, filter, setColumns, setValues, returning, NodeTypes.of(returning));
  }
}
