package io.gauss.compute.sql.exec.build;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.scan.TableRows;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.txn.Snapshot;

/** Reads all rows of a table that is locked against writers. */
final class AllRows {
  private AllRows() {}

  /** Is shown one row after the other. */
  interface Visitor {
    void visit(RowBatch batch, int row);
  }

  /** Reads the rows that are committed now or were written by the transaction itself. */
  static void of(ExecContext ctx, TableHandle table, Visitor visitor) {
    Operator scan = TableRows.scan(table);
    Snapshot ofStatement = ctx.snapshot;
    Snapshot fresh = ctx.transaction.freshSnapshot(); // the statement's may predate the lock
    ctx.snapshot = fresh;
    try {
      scan.open(ctx);
      for (RowBatch batch = scan.next(); batch != null; batch = scan.next()) {
        ctx.checkInterrupt();
        for (int row = 0; row < batch.size; row++) {
          visitor.visit(batch, row);
        }
      }
    } finally {
      scan.close();
      ctx.snapshot = ofStatement;
      ctx.transaction.releaseSnapshot(fresh);
    }
  }
}
