package io.gauss.compute.sql.exec.dml;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.sql.exec.table.UpdateTargets;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.type.Value;

/**
 * Buffers and steps shared by all operators that change or delete existing rows. One row at a time.
 */
final class RowUpdater {
  final RowVersion version = new RowVersion();
  final Value value = new Value();
  private ExecContext ctx;
  private ForeignKeys foreignKeys;
  private TableHandle table;
  private TableWriter writer;
  private UpdateTargets targets;

  /** The old row, in table order. */
  RowBatch oldRow;

  /** The new row. */
  RowBatch newRow;

  /**
   * Prepares for an execution.
   *
   * @param setColumns columns that may change, null for delete
   */
  void open(ExecContext context, int tableOid, int[] setColumns) {
    ctx = context;
    foreignKeys = ForeignKeys.reuse(foreignKeys, context);
    writer = foreignKeys.writer(tableOid);
    if (table != writer.table()) {
      table = writer.table();
      oldRow = Rows.batch(table.types());
      newRow = Rows.batch(table.types());
      targets = setColumns == null ? null : UpdateTargets.of(table.def(), setColumns);
    }
  }

  UpdateTargets targets() {
    return targets;
  }

  TableHandle table() {
    return table;
  }

  /**
   * Reads the newest version of the row that the snapshot sees under a key, for writing; its
   * columns are in {@link #oldRow} when it exists. Its key may have been changed meanwhile.
   */
  Outcome read(byte[] key, int offset, int length) {
    Outcome outcome =
        table
            .rows()
            .readNewestOf(
                ctx.transaction, ctx.snapshot(), key, offset, length, WaitPolicy.WAIT, version);
    if (outcome == Outcome.OK || outcome == Outcome.CHANGED) {
      decode();
    }
    return outcome;
  }

  /** Decodes {@link #version} into {@link #oldRow}. */
  void decode() {
    writer.decode(version, oldRow);
  }

  /** Reads the newest version of whichever row has the key now, without decoding it. */
  Outcome readBytes(byte[] key, int offset, int length) {
    return table
        .rows()
        .readNewestNamed(
            ctx.transaction, ctx.snapshot(), key, offset, length, WaitPolicy.WAIT, version);
  }

  /**
   * Builds {@link #newRow} from the old row and new values, which are computed over the columns of
   * {@code in}.
   */
  void setNewRow(EvalContext eval, int[] setColumns, Expr[] setValues, RowBatch in, int row) {
    newRow.clear();
    Rows.copy(oldRow, 0, newRow, 0);
    newRow.size = 1;
    for (int i = 0; i < setColumns.length; i++) {
      setValues[i].eval(eval, in, row, value);
      newRow.columns[setColumns[i]].set(0, value);
    }
    writer.checkRow(newRow);
  }

  /** OK or STALE. */
  Outcome update() {
    return writer.update(version, oldRow, newRow, targets);
  }

  /** OK or STALE. */
  Outcome delete() {
    return writer.delete(version, oldRow);
  }

  /** Ends the statement. */
  void finish() {
    foreignKeys.finish();
  }

  void close() {
    if (foreignKeys != null) {
      foreignKeys.reset();
    }
  }
}
