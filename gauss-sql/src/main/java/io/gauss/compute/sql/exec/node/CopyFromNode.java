package io.gauss.compute.sql.exec.node;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;

/**
 * Inserts the rows of COPY FROM's data.
 *
 * @param columns positions of the table's columns that the data has, in the data's order
 * @param conversions by column of the data, over the table's columns, from what the data has to the
 *     column's type with its modifier or domain; elements may be null
 * @param defaults by column of the table, without column references; null for columns that the data
 *     has
 * @param where over the table's columns: rows for which it is not true are skipped; null = true
 */
public record CopyFromNode(
    TableDef table, int[] columns, Expr[] conversions, Expr[] defaults, Expr where)
    implements PlanNode {
  private static final PgType[] NO_TYPES = new PgType[0];

  @Override
  public PgType[] types() {
    return NO_TYPES;
  }
}
