package io.gauss.compute.sql.exec;

import io.gauss.compute.row.RowBatch;

/** Takes result rows, which it must copy or encode before it returns. It does not wait. */
@FunctionalInterface
public interface ResultSink {
  /** Takes the rows {@code from} (inclusive) to {@code to} (exclusive) of a batch. */
  void rows(RowBatch batch, int from, int to);
}
