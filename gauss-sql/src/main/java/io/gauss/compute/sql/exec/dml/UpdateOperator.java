package io.gauss.compute.sql.exec.dml;

import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.DmlOperator;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.UpdateNode;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.sql.exec.scan.Recheck;
import io.gauss.compute.store.Outcome;

/**
 * Updates the rows that its input names. Rows that this statement has already written are skipped,
 * and the input does not see them (own writes are visible only up to the statement's start), so an
 * update may move rows along the very index that is being scanned.
 */
public final class UpdateOperator extends DmlOperator {
  private final UpdateNode node;
  private final Operator input;
  private final RowUpdater updater = new RowUpdater();
  private final RowBatch returningInput;

  public UpdateOperator(UpdateNode node, Operator input) {
    super(node.types());
    this.node = node;
    this.input = input;
    returningInput =
        node.returning() == null ? null : ReturningInput.batch(node.table(), node.input());
  }

  @Override
  public void open(ExecContext context) {
    super.open(context);
    updater.open(context, node.table().oid(), node.setColumns());
    input.open(context);
  }

  @Override
  public void execute() {
    for (RowBatch in = input.next(); in != null; in = input.next()) {
      for (int row = 0; row < in.size; row++) {
        ctx.checkInterrupt();
        update(in, row);
      }
    }
    updater.finish();
  }

  private void update(RowBatch in, int row) {
    ColumnVector keys = in.columns[node.rowKeyColumn()];
    if (keys.nulls[row]) {
      return;
    }
    while (true) {
      ctx.eval.resetScratch();
      Outcome outcome = updater.read(keys.data, keys.offsets[row], keys.lengths[row]);
      if (outcome == Outcome.NOT_FOUND || outcome == Outcome.SELF) {
        return;
      }
      if (outcome == Outcome.CHANGED
          && !Recheck.passes(ctx, in, row, updater.oldRow, node.targetColumns(), node.recheck())) {
        return;
      }
      updater.setNewRow(ctx.eval, node.setColumns(), node.setValues(), in, row);
      if (updater.update() == Outcome.OK) {
        wrote();
        returning(in, row);
        return;
      }
    }
  }

  private void returning(RowBatch in, int row) {
    if (returningInput != null) {
      ReturningInput.fill(returningInput, updater.newRow, in, row);
      RowBatch out = returningBatch();
      Values.eval(ctx.eval, node.returning(), returningInput, 0, out, 0);
      addReturned(out);
    }
  }

  @Override
  public void close() {
    super.close();
    updater.close();
    input.close();
  }
}
