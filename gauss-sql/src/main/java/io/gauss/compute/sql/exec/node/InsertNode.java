package io.gauss.compute.sql.exec.node;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Inserts the rows of its input, which emits all table columns in table order, defaults included
 * and of the columns' types.
 *
 * @param onConflict null = a conflict is an error
 * @param returning over the columns of the resulting row, in table order; null = none
 */
public record InsertNode(
    TableDef table, PlanNode input, OnConflict onConflict, Expr[] returning, PgType[] types)
    implements PlanNode {
  public InsertNode(TableDef table, PlanNode input, OnConflict onConflict, Expr[] returning) {
    this(table, input, onConflict, returning, NodeTypes.of(returning));
  }

  /**
   * ON CONFLICT clause.
   *
   * @param anyIndex DO NOTHING without a target: a conflict in any unique index counts
   * @param arbiter unique index that decides, null = the primary key
   * @param setColumns table columns to set; null = DO NOTHING
   * @param setValues over the existing row's columns ++ the excluded row's columns
   * @param where over the same; a row for which it is not true is not changed (but locked); null =
   *     true
   */
  public record OnConflict(
      boolean anyIndex, TableDef.IndexDef arbiter, int[] setColumns, Expr[] setValues, Expr where) {
    public boolean doUpdate() {
      return setColumns != null;
    }
  }

  @Override
  public List<PlanNode> children() {
    return List.of(input);
  }
}
