package io.gauss.compute.sql.exec;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.type.Value;

/**
 * Generates rows by code rather than from a table. Immutable and shared; the rows come from the
 * object that {@link #open} returns.
 */
@FunctionalInterface
public interface RowProducer {
  /** Starts an execution with evaluated arguments, which are valid only during this call. */
  Rows open(ExecContext ctx, Value[] arguments);

  /** Rows of one execution. */
  interface Rows {
    /**
     * Appends up to {@code maxRows} rows to an empty batch and sets its size.
     *
     * @return false when there are no more rows (the batch is then empty)
     */
    boolean next(RowBatch out, int maxRows);
  }
}
