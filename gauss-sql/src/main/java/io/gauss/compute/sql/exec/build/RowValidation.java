package io.gauss.compute.sql.exec.build;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.type.Value;

/** Checks existing rows of a table against new constraints. Belongs to one statement. */
public final class RowValidation {
  private final TableHandle table;
  private final int[] notNull;
  private final int[] checks;

  /**
   * @param table the table after the change
   * @param notNull positions of columns that must not have NULLs
   * @param checks positions of CHECK constraints that must hold
   */
  public RowValidation(TableHandle table, int[] notNull, int[] checks) {
    this.table = table;
    this.notNull = notNull.clone();
    this.checks = checks.clone();
  }

  boolean isEmpty() {
    return notNull.length == 0 && checks.length == 0;
  }

  /**
   * Reads all rows that are committed now or were written by the transaction itself. The table is
   * locked against writers.
   *
   * @throws GaussException 23502 or 23514 for the first row that violates a constraint
   */
  public void run(ExecContext ctx) {
    if (isEmpty()) {
      return;
    }
    AllRows.of(ctx, table, (batch, row) -> check(ctx, batch, row));
  }

  /** Checks one row in table order. */
  void check(ExecContext ctx, RowBatch batch, int row) {
    TableDef def = table.def();
    for (int column : notNull) {
      if (batch.columns[column].nulls[row]) {
        String name = def.columns().get(column).name();
        throw new GaussException(
                SqlState.NOT_NULL_VIOLATION,
                "column \"%s\" of relation \"%s\" contains null values".formatted(name, def.name()))
            .table(def.schema(), def.name())
            .column(name);
      }
    }
    for (int check : checks) {
      Value result = ctx.eval.acquire();
      table.expressions().checks()[check].eval(ctx.eval, batch, row, result);
      boolean violated = !result.isNull && result.l == 0;
      ctx.eval.release();
      if (violated) {
        String name = def.checks().get(check).name();
        throw new GaussException(
                SqlState.CHECK_VIOLATION,
                "check constraint \"%s\" of relation \"%s\" is violated by some row"
                    .formatted(name, def.name()))
            .table(def.schema(), def.name())
            .constraint(name);
      }
    }
  }
}
