package io.gauss.compute.sql.exec;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.RowSpool;
import io.gauss.compute.type.PgType;

/**
 * A statement that writes. The first {@link #next} executes it completely; RETURNING rows are kept
 * in a spool and returned afterwards, as in PostgreSQL, so that a suspended portal leaves no
 * statement half done.
 */
public abstract class DmlOperator extends Operator {
  private final RowSpool returned;
  private final RowBatch out;
  private RowSpool.Reader reader;
  private boolean executed;
  private long rowsAffected;
  public ExecContext ctx;

  /**
   * @param types of the RETURNING rows, empty for none
   */
  public DmlOperator(PgType[] types) {
    returned = types.length == 0 ? null : new RowSpool(types);
    out = Rows.batch(types);
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    executed = false;
    rowsAffected = 0;
    if (returned != null) {
      returned.reset(context);
    }
  }

  /**
   * Does all the statement's writing; {@link #wrote} has been called for each row when it returns.
   */
  public abstract void execute();

  /** Counts a row. */
  public final void wrote() {
    rowsAffected++;
  }

  /** A batch for one RETURNING row, to be filled and passed to {@link #addReturned}. */
  public final RowBatch returningBatch() {
    out.clear();
    return out;
  }

  public final void addReturned(RowBatch batch) {
    returned.add(batch, 0);
  }

  @Override
  public RowBatch next() {
    if (!executed) {
      execute();
      executed = true;
      if (returned != null) {
        reader = returned.reader();
      }
    }
    if (returned == null) {
      return null;
    }
    out.clear();
    return reader.read(out, MAX_ROWS, 0) == 0 ? null : out;
  }

  public final long rowsAffected() {
    return rowsAffected;
  }

  @Override
  public DmlOperator dml() {
    return this;
  }

  @Override
  public void close() {
    if (returned != null) {
      returned.close();
    }
  }
}
