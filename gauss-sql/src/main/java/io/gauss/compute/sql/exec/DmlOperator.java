package io.gauss.compute.sql.exec;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;

/**
 * A statement that writes: carried out whole at the first {@link #next}, RETURNING rows kept in a
 * spool and served afterwards, as in PostgreSQL, so that a suspended portal leaves nothing half
 * done.
 */
abstract class DmlOperator extends Operator {
  private final RowSpool returned;
  private final RowBatch out;
  private RowSpool.Reader reader;
  private boolean executed;
  private long rowsAffected;
  ExecContext ctx;

  /**
   * @param types of the RETURNING rows, empty for none
   */
  DmlOperator(PgType[] types) {
    returned = types.length == 0 ? null : new RowSpool(types);
    out = Rows.batch(types);
  }

  @Override
  void open(ExecContext context) {
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
  abstract void execute();

  /** Counts a row. */
  final void wrote() {
    rowsAffected++;
  }

  /** A batch for one RETURNING row, to be filled and given to {@link #addReturned}. */
  final RowBatch returningBatch() {
    out.clear();
    return out;
  }

  final void addReturned(RowBatch batch) {
    returned.add(batch, 0);
  }

  @Override
  RowBatch next() {
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

  final long rowsAffected() {
    return rowsAffected;
  }

  @Override
  DmlOperator dml() {
    return this;
  }

  @Override
  void close() {
    if (returned != null) {
      returned.close();
    }
  }
}
