package io.gauss.compute.sql.exec.dml;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.DmlOperator;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.node.PointDeleteNode;
import io.gauss.compute.sql.exec.node.PointUpdateNode;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.sql.exec.table.TableKeys;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.type.ByteSink;

/**
 * UPDATE and DELETE of one row by its primary key: one descent to read the newest version, one
 * guarded write at the place that the read recorded. The filter sees the newest version, so nothing
 * is evaluated twice. A row that was changed or inserted after the statement's snapshot is used in
 * its current state, as if the statement had begun a little later.
 */
public final class PointWriteOperator extends DmlOperator {
  private final int tableOid;
  private final Expr[] key;
  private final Expr filter;

  /** Null for delete. */
  private final int[] setColumns;

  private final Expr[] setValues;
  private final Expr[] returning;
  private final RowUpdater updater = new RowUpdater();
  private final ByteSink keyBytes = new ByteSink(64);
  private TableHandle patchTable;
  private ExecContext patchContext;

  /** The fast path, null when this statement cannot use it. */
  private RowPatch patch;

  public PointWriteOperator(PointUpdateNode node) {
    super(node.types());
    tableOid = node.table().oid();
    key = node.key();
    filter = node.filter();
    setColumns = node.setColumns();
    setValues = node.setValues();
    returning = node.returning();
  }

  public PointWriteOperator(PointDeleteNode node) {
    super(node.types());
    tableOid = node.table().oid();
    key = node.key();
    filter = node.filter();
    setColumns = null;
    setValues = null;
    returning = node.returning();
  }

  @Override
  public void open(ExecContext context) {
    super.open(context);
    updater.open(context, tableOid, setColumns);
    if (setColumns != null
        && returning == null
        && (patchTable != updater.table() || patchContext != context)) {
      patchTable = updater.table();
      patchContext = context;
      patch = RowPatch.of(context, patchTable, updater.targets(), filter, setColumns, setValues);
    }
  }

  @Override
  public void execute() {
    ctx.eval.resetScratch();
    keyBytes.clear();
    if (!TableKeys.evaluate(updater.table().primaryKeyCodec(), key, ctx.eval, keyBytes)) {
      return;
    }
    while (true) {
      ctx.checkInterrupt();
      ctx.eval.resetScratch();
      Outcome outcome = updater.readBytes(keyBytes.array, 0, keyBytes.length);
      if (outcome == Outcome.NOT_FOUND || outcome == Outcome.SELF) {
        return;
      }
      if (patch != null) {
        RowPatch.Result result = patch.apply(updater.version);
        if (result == RowPatch.Result.DONE) {
          wrote();
          return;
        }
        if (result == RowPatch.Result.FILTERED) {
          return;
        }
        if (result == RowPatch.Result.STALE) {
          continue;
        }
      }
      updater.decode();
      if (filter != null && !filter.test(ctx.eval, updater.oldRow, 0)) {
        return;
      }
      if (write() == Outcome.OK) {
        break;
      }
    }
    wrote();
    if (returning != null) {
      RowBatch out = returningBatch();
      RowBatch row = setColumns == null ? updater.oldRow : updater.newRow;
      Values.eval(ctx.eval, returning, row, 0, out, 0);
      addReturned(out);
    }
    updater.finish();
  }

  private Outcome write() {
    if (setColumns == null) {
      return updater.delete();
    }
    updater.setNewRow(ctx.eval, setColumns, setValues, updater.oldRow, 0);
    return updater.update();
  }

  @Override
  public void close() {
    super.close();
    updater.close();
  }
}
