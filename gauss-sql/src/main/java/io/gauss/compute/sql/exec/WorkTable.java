package io.gauss.compute.sql.exec;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.run.RecursionOperator;
import io.gauss.compute.sql.exec.spill.RowSpool;
import io.gauss.compute.type.Value;

/**
 * The place where the recursive term of WITH RECURSIVE reads the rows of the previous iteration.
 * Immutable and shared by all executions of a plan; the rows are in the execution's context, where
 * {@link RecursionOperator} puts them.
 */
public final class WorkTable implements RowProducer {
  @Override
  public Rows open(ExecContext ctx, Value[] arguments) {
    RowSpool rows = ctx.workTables.get(this);
    if (rows == null) {
      throw new IllegalStateException("a work table is read outside of its recursion");
    }
    RowSpool.Reader reader = rows.reader();
    return (RowBatch out, int maxRows) -> reader.read(out, maxRows, 0) > 0;
  }
}
