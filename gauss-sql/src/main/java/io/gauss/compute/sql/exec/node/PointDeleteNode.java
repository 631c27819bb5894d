package io.gauss.compute.sql.exec.node;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;

/**
 * Deletes at most one row given by its whole primary key. Components as in {@link PointUpdateNode}.
 *
 * @param returning over the old row's columns in table order; null = none
 */
public record PointDeleteNode(
    TableDef table, Expr[] key, Expr filter, Expr[] returning, PgType[] types) implements PlanNode {
  public PointDeleteNode(TableDef table, Expr[] key, Expr filter, Expr[] returning) {
    this(table, key, filter, returning, NodeTypes.of(returning));
  }
}
