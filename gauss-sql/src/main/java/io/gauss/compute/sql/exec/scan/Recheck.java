package io.gauss.compute.sql.exec.scan;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.node.LockRowsNode;
import io.gauss.compute.sql.exec.row.Rows;

/**
 * READ COMMITTED's second check of a row that has changed since the statement's snapshot
 * (PostgreSQL: EvalPlanQual): the target's columns in the input row are replaced by its newest
 * version, the other tables' columns stay, and the condition is evaluated again.
 */
public final class Recheck {
  private Recheck() {}

  /**
   * @param newest the target's newest version in table order
   * @param targetColumns by table column: its position in the input, -1 when it is absent
   */
  public static boolean passes(
      ExecContext ctx, RowBatch in, int row, RowBatch newest, int[] targetColumns, Expr recheck) {
    replace(in, row, newest, targetColumns);
    return recheck == null || recheck.test(ctx.eval, in, row);
  }

  /** The same for a row in which the changed tables' columns have been replaced. */
  static boolean passes(
      ExecContext ctx, RowBatch in, int row, LockRowsNode.OuterJoin[] outerJoins, Expr recheck) {
    for (LockRowsNode.OuterJoin join : outerJoins) {
      if (join.condition() != null && !join.condition().test(ctx.eval, in, row)) {
        for (int column : join.partner()) {
          in.columns[column].setNull(row);
        }
      }
    }
    return recheck == null || recheck.test(ctx.eval, in, row);
  }

  static void replace(RowBatch in, int row, RowBatch newest, int[] targetColumns) {
    for (int i = 0; i < targetColumns.length; i++) {
      if (targetColumns[i] >= 0) {
        Rows.copy(newest.columns[i], 0, in.columns[targetColumns[i]], row);
      }
    }
  }
}
