package io.gauss.compute.sql.exec.build;

import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.dml.ForeignKeys;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.scan.TableRows;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.txn.Snapshot;

/** Checks existing rows against a new foreign key. */
public final class ForeignKeyCheck {
  private ForeignKeyCheck() {}

  /**
   * Looks up the parent of every child row that is committed now or was written by the transaction
   * itself. Both tables are locked against writers.
   *
   * @throws io.gauss.common.error.GaussException 23503 for the first row without one
   */
  public static void validate(ExecContext ctx, TableHandle child, ForeignKeyDef key) {
    ForeignKeys foreignKeys = new ForeignKeys(ctx);
    Operator scan = TableRows.scan(child);
    RowBatch row = Rows.batch(child.types());
    Snapshot ofStatement = ctx.snapshot;
    Snapshot fresh = ctx.transaction.freshSnapshot(); // the statement's may predate the locks
    ctx.snapshot = fresh;
    try {
      scan.open(ctx);
      for (RowBatch batch = scan.next(); batch != null; batch = scan.next()) {
        for (int i = 0; i < batch.size; i++) {
          ctx.checkInterrupt();
          row.clear();
          for (int column = 0; column < row.columns.length; column++) {
            Rows.copy(batch.columns[column], i, row.columns[column], 0);
          }
          foreignKeys.checkChild(child, key, row);
        }
      }
    } finally {
      scan.close();
      ctx.snapshot = ofStatement;
      ctx.transaction.releaseSnapshot(fresh);
    }
  }
}
