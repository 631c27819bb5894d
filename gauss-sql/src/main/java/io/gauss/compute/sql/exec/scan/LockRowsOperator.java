package io.gauss.compute.sql.exec.scan;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.LockRowsNode;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.type.Value;

/**
 * Locks rows as they pass. It takes no more rows from its input's batch than were requested, so
 * that with a LIMIT above only the rows that pass it are locked; without a limit it works batch by
 * batch.
 */
public final class LockRowsOperator extends Operator {
  private final LockRowsNode node;
  private final Operator input;
  private final RowBatch out;
  private final TableHandle[] tables;
  private final RowBatch[] newest;
  private final RowVersion version = new RowVersion();
  private final Value scratch = new Value();
  private ExecContext ctx;
  private RowBatch in;
  private int row;
  private long expected;

  public LockRowsOperator(LockRowsNode node, Operator input) {
    this.node = node;
    this.input = input;
    out = Rows.batch(node.types());
    tables = new TableHandle[node.marks().length];
    newest = new RowBatch[node.marks().length];
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    in = null;
    row = 0;
    expected = Long.MAX_VALUE;
    for (int i = 0; i < tables.length; i++) {
      TableHandle table = ctx.tables.open(node.marks()[i].table().oid());
      if (tables[i] != table) {
        tables[i] = table;
        newest[i] = Rows.batch(table.types());
      }
    }
    input.open(context);
  }

  @Override
  public void expectRows(long rows) {
    expected = rows;
    input.expectRows(rows);
  }

  @Override
  public RowBatch next() {
    ctx.checkInterrupt();
    out.clear();
    while (!ctx.isFull(out, MAX_ROWS) && out.size < Math.max(1, expected)) {
      if (in == null || row == in.size) {
        if (out.size > 0) {
          break;
        }
        in = input.next();
        row = 0;
        if (in == null) {
          break;
        }
      }
      ctx.eval.resetScratch();
      if (lock()) {
        Rows.copy(in, row, out, out.size++);
      }
      row++;
    }
    expected -= out.size;
    return out.size == 0 ? null : out;
  }

  /** Locks the current row in all tables; false when it is to be skipped. */
  private boolean lock() {
    boolean changed = false;
    for (int i = 0; i < tables.length; i++) {
      LockRowsNode.Mark mark = node.marks()[i];
      ColumnVector keys = in.columns[mark.rowKeyColumn()];
      if (keys.nulls[row]) {
        continue;
      }
      Outcome outcome = lock(i, mark, keys);
      if (outcome == Outcome.NOT_FOUND || outcome == Outcome.LOCKED) {
        return false;
      }
      if (outcome == Outcome.CHANGED) {
        newest[i].clear();
        tables[i]
            .rowCodec()
            .decode(
                version.row,
                0,
                version.rowLength,
                tables[i].allColumns(),
                newest[i].columns,
                0,
                scratch);
        Recheck.replace(in, row, newest[i], mark.targetColumns());
        changed = true;
      }
    }
    return !changed || Recheck.passes(ctx, in, row, node.outerJoins(), node.recheck());
  }

  /** OK, CHANGED (both: locked), NOT_FOUND, or LOCKED (skip). */
  private Outcome lock(int i, LockRowsNode.Mark mark, ColumnVector keys) {
    while (true) {
      Outcome outcome =
          tables[i]
              .rows()
              .readNewestOf(
                  ctx.transaction,
                  ctx.snapshot(),
                  keys.data,
                  keys.offsets[row],
                  keys.lengths[row],
                  mark.waiting() == LockRowsNode.Waiting.WAIT
                      ? WaitPolicy.WAIT
                      : WaitPolicy.NO_WAIT,
                  version);
      switch (outcome) {
        case OK, CHANGED -> {
          if (tables[i].rows().lock(ctx.transaction, version) == Outcome.OK) {
            return outcome;
          }
        }
        case LOCKED -> {
          if (mark.waiting() == LockRowsNode.Waiting.NOWAIT) {
            throw notAvailable(mark.table());
          }
          return outcome;
        }
        case SELF -> {
          return Outcome.OK;
        }
        case NOT_FOUND -> {
          return outcome;
        }
        case STALE, DUPLICATE -> throw new IllegalStateException("readNewest: " + outcome);
      }
    }
  }

  static GaussException notAvailable(TableDef table) {
    return new GaussException(
        SqlState.LOCK_NOT_AVAILABLE,
        "could not obtain lock on row in relation \"" + table.name() + "\"");
  }

  @Override
  public void close() {
    input.close();
  }
}
