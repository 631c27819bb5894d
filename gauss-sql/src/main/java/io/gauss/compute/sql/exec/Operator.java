package io.gauss.compute.sql.exec;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.run.Execution;

/**
 * Runs one plan node: state of one execution, reused by the next. One thread at a time; belongs to
 * a session's {@link Execution}.
 *
 * <p>Life: {@link #open}, {@link #next} until null, and finally {@link #close}. Opening again
 * without closing starts over, with the current parameter slots (the inner side of a join). No
 * latch is held when any of these returns or throws.
 */
public abstract class Operator {
  /** Most rows in a batch. */
  public static final int MAX_ROWS = 1024;

  /**
   * Rows in the first batch of a scan, so that a short query does not decode rows that it does not
   * need.
   */
  public static final int FIRST_ROWS = 8;

  public abstract void open(ExecContext ctx);

  /**
   * The next rows, at least one, or null at the end. The batch belongs to this operator and is
   * valid until its next call; the caller may rearrange it.
   */
  public abstract RowBatch next();

  /**
   * Releases files and engine resources; buffers stay for the next execution. May be called more
   * than once.
   */
  public abstract void close();

  /**
   * Announces, after open, that no more than this many rows will be requested. It is a hint: the
   * caller may request more. No effect where all input must be read anyway.
   */
  public void expectRows(long rows) {}

  /**
   * The operator that writes, when the statement does: this one, or the one below it at the root.
   */
  public DmlOperator dml() {
    return null;
  }
}
