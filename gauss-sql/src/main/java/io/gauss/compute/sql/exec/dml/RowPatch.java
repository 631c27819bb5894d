package io.gauss.compute.sql.exec.dml;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.row.ColumnUse;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.sql.exec.table.UpdateTargets;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/**
 * The fast path to update a row: when the changed columns are in no key, index, foreign key or
 * check, only the columns that the expressions use are decoded, and the new values are put into a
 * copy of the row's bytes.
 */
final class RowPatch {
  private final ExecContext ctx;
  private final TableHandle table;
  private final Expr filter;
  private final int[] setColumns;
  private final Expr[] setValues;
  private final int[] columns;
  private final ColumnVector[] vectors;
  private final RowBatch row;
  private final ByteSink bytes = new ByteSink(256);
  private final Value value = new Value();

  /** The outcome. */
  enum Result {
    DONE,
    FILTERED,
    STALE,
    /** A value does not fit in its place, or is NULL where it must not be: use the slow path. */
    IMPOSSIBLE
  }

  private RowPatch(
      ExecContext ctx, TableHandle table, Expr filter, int[] setColumns, Expr[] setValues) {
    this.ctx = ctx;
    this.table = table;
    this.filter = filter;
    this.setColumns = setColumns;
    this.setValues = setValues;
    row = Rows.batch(table.types());
    boolean[] used = new boolean[table.types().length];
    if (filter != null) {
      ColumnUse.mark(filter, used);
    }
    for (Expr expression : setValues) {
      ColumnUse.mark(expression, used);
    }
    int count = 0;
    int[] usedColumns = new int[used.length];
    for (int i = 0; i < used.length; i++) {
      if (used[i]) {
        usedColumns[count++] = i;
      }
    }
    columns = Arrays.copyOf(usedColumns, count);
    vectors = new ColumnVector[count];
    for (int i = 0; i < count; i++) {
      vectors[i] = row.columns[columns[i]];
    }
  }

  /** Null when the table or the columns need the slow path. */
  static RowPatch of(
      ExecContext ctx,
      TableHandle table,
      UpdateTargets targets,
      Expr filter,
      int[] setColumns,
      Expr[] setValues) {
    boolean simple =
        !targets.primaryKey()
            && targets.indexes().length == 0
            && !targets.foreignKeys()
            && table.generatedColumns().length == 0
            && table.def().checks().isEmpty();
    return simple ? new RowPatch(ctx, table, filter, setColumns, setValues) : null;
  }

  /** Updates the row whose newest version this is. */
  Result apply(RowVersion version) {
    row.clear();
    table.rowCodec().decode(version.row, 0, version.rowLength, columns, vectors, 0, value);
    row.size = 1;
    if (filter != null && !filter.test(ctx.eval, row, 0)) {
      return Result.FILTERED;
    }
    bytes.clear();
    bytes.putBytes(version.row, 0, version.rowLength);
    for (int i = 0; i < setColumns.length; i++) {
      setValues[i].eval(ctx.eval, row, 0, value);
      if (value.isNull && table.def().columns().get(setColumns[i]).notNull()
          || !table.rowCodec().patch(bytes, 0, setColumns[i], value)) {
        return Result.IMPOSSIBLE;
      }
    }
    Outcome outcome = table.rows().update(ctx.transaction, version, bytes.array, 0, bytes.length);
    return outcome == Outcome.OK ? Result.DONE : Result.STALE;
  }
}
