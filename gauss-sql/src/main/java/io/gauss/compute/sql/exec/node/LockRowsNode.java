package io.gauss.compute.sql.exec.node;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Locks the rows that its input emits: SELECT FOR UPDATE and its weaker forms, which all take the
 * exclusive lock until lists of shared lockers exist. Stands above the sort and below the limit, as
 * in PostgreSQL.
 *
 * @param recheck whole WHERE and join condition over the input columns, evaluated again when a row
 *     has changed meanwhile (READ COMMITTED), after that table's columns have been replaced by its
 *     newest version; null = true
 */
public record LockRowsNode(PlanNode input, Mark[] marks, Expr recheck) implements PlanNode {
  /**
   * A table whose rows are locked.
   *
   * @param rowKeyColumn input column with the row's key; NULL (outer joins) locks nothing
   * @param targetColumns by table column: its position in the input, -1 = absent
   */
  public record Mark(TableDef table, int rowKeyColumn, int[] targetColumns, Waiting waiting) {}

  /** What to do about a row that another transaction holds. */
  public enum Waiting {
    WAIT,
    NOWAIT,
    SKIP_LOCKED
  }

  @Override
  public PgType[] types() {
    return input.types();
  }

  @Override
  public List<PlanNode> children() {
    return List.of(input);
  }
}
