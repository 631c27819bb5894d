package io.gauss.compute.sql.exec.build;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.type.Value;
import java.util.List;

/** Checks existing rows of a table against a new constraint of a domain. One statement. */
public final class DomainValidation {
  private final TableHandle table;
  private final List<ColumnCheck> checks;

  /**
   * What is checked of a column.
   *
   * @param condition over the table's columns: fails with 23514 when it does not hold; null = the
   *     value must not be NULL
   */
  public record ColumnCheck(int column, Expr condition) {}

  public DomainValidation(TableHandle table, List<ColumnCheck> checks) {
    this.table = table;
    this.checks = List.copyOf(checks);
  }

  /**
   * Reads all rows that are committed now or were written by the transaction itself. The table is
   * locked against writers.
   *
   * @throws GaussException 23502 or 23514 for the first row that violates the constraint
   */
  public void run(ExecContext ctx) {
    AllRows.of(ctx, table, (batch, row) -> check(ctx, batch, row));
  }

  private void check(ExecContext ctx, RowBatch batch, int row) {
    for (ColumnCheck check : checks) {
      if (check.condition() == null) {
        if (batch.columns[check.column()].nulls[row]) {
          throw violated(check, SqlState.NOT_NULL_VIOLATION, "null values");
        }
        continue;
      }
      Value scratch = new Value();
      try {
        check.condition().eval(ctx.eval, batch, row, scratch);
      } catch (GaussException e) {
        if (e.state() == SqlState.CHECK_VIOLATION) {
          throw violated(check, SqlState.CHECK_VIOLATION, "values that violate the new constraint");
        }
        throw e;
      }
    }
  }

  private GaussException violated(ColumnCheck check, SqlState state, String what) {
    TableDef def = table.def();
    String name = def.columns().get(check.column()).name();
    return new GaussException(
            state, "column \"%s\" of table \"%s\" contains %s".formatted(name, def.name(), what))
        .table(def.schema(), def.name())
        .column(name);
  }
}
