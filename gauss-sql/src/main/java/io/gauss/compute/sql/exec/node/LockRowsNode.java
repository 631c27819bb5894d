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
 * @param outerJoins inner ones first; when a row has changed meanwhile (READ COMMITTED), and that
 *     table's columns have been replaced by its newest version, their conditions decide whether the
 *     row still has its partners
 * @param recheck whole WHERE and join condition over the input columns, evaluated after that; null
 *     = true
 */
public record LockRowsNode(PlanNode input, Mark[] marks, OuterJoin[] outerJoins, Expr recheck)
    implements PlanNode {
  /**
   * A table whose rows are locked.
   *
   * @param rowKeyColumn input column with the row's key; NULL (outer joins) locks nothing
   * @param targetColumns by table column: its position in the input, -1 = absent
   */
  public record Mark(TableDef table, int rowKeyColumn, int[] targetColumns, Waiting waiting) {}

  /**
   * A join whose rows may lack a partner.
   *
   * @param condition over the input columns; null = true
   * @param partner input columns that are NULL then
   */
  public record OuterJoin(Expr condition, int[] partner) {}

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
