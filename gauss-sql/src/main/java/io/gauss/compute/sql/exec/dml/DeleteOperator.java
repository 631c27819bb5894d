package io.gauss.compute.sql.exec.dml;

import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.DmlOperator;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.DeleteNode;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.sql.exec.scan.Recheck;
import io.gauss.compute.store.Outcome;

/** Deletes the rows that its input names. */
public final class DeleteOperator extends DmlOperator {
  private final DeleteNode node;
  private final Operator input;
  private final RowUpdater updater = new RowUpdater();
  private final RowBatch returningInput;

  public DeleteOperator(DeleteNode node, Operator input) {
    super(node.types());
    this.node = node;
    this.input = input;
    returningInput =
        node.returning() == null ? null : ReturningInput.batch(node.table(), node.input());
  }

  @Override
  public void open(ExecContext context) {
    super.open(context);
    updater.open(context, node.table().oid(), null);
    input.open(context);
  }

  @Override
  public void execute() {
    for (RowBatch in = input.next(); in != null; in = input.next()) {
      for (int row = 0; row < in.size; row++) {
        ctx.checkInterrupt();
        delete(in, row);
      }
    }
    updater.finish();
  }

  private void delete(RowBatch in, int row) {
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
      if (updater.delete() == Outcome.OK) {
        wrote();
        if (returningInput != null) {
          ReturningInput.fill(returningInput, updater.oldRow, in, row);
          RowBatch out = returningBatch();
          Values.eval(ctx.eval, node.returning(), returningInput, 0, out, 0);
          addReturned(out);
        }
        return;
      }
    }
  }

  @Override
  public void close() {
    super.close();
    updater.close();
    input.close();
  }
}
