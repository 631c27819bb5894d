package io.gauss.compute.sql.exec.spill;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.type.PgType;

/**
 * The rows of a result, kept for reading at any position: in memory, and on disk above the budget.
 * Rows are added first and read afterwards. Belongs to a session; must be closed.
 */
public final class KeptRows implements AutoCloseable {
  private final RowSpool spool;
  private final RowBatch batch;
  private RowSpool.Reader reader;

  public KeptRows(PgType[] types, WorkMemory memory) {
    spool = new RowSpool(types);
    spool.reset(memory);
    batch = Rows.batch(types);
  }

  /** Adds rows {@code from} (inclusive) to {@code to} (exclusive) of a batch; may wait. */
  public void add(RowBatch rows, int from, int to) {
    for (int row = from; row < to; row++) {
      spool.add(rows, row);
    }
  }

  public long size() {
    return spool.rows();
  }

  /**
   * Reads rows; may wait.
   *
   * @param first position of the first one, from 0
   * @return up to {@code count} rows, as far as they exist; valid until the next call
   */
  public RowBatch read(long first, int count) {
    if (reader == null) {
      reader = spool.reader();
    }
    batch.clear();
    reader.moveTo(first);
    reader.read(batch, count, 0);
    return batch;
  }

  @Override
  public void close() {
    spool.close();
  }
}
