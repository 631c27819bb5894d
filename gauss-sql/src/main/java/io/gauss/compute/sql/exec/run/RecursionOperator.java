package io.gauss.compute.sql.exec.run;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.RecursionNode;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.KeyedRecord;
import io.gauss.compute.sql.exec.spill.KeyedTable;
import io.gauss.compute.sql.exec.spill.RowSpool;
import io.gauss.compute.sql.exec.spill.UnspillableMemory;

/**
 * Runs WITH RECURSIVE. The rows of an iteration are passed on at once and kept for the next one, on
 * disk above the work memory. UNION has to know all rows so far; these are held in memory.
 *
 * <p>Several executions of the same plan may take turns (cursors), so each call puts the work table
 * into the context again.
 */
public final class RecursionOperator extends Operator {
  /** Most bytes of the rows seen by one UNION. */
  static final long SEEN_BYTES_MAX = 256L << 20;

  private final RecursionNode node;
  private final Operator seed;
  private final Operator step;
  private final KeyWriter keys;
  private final KeyedTable seen = new KeyedTable();
  private final UnspillableMemory memory =
      new UnspillableMemory(
          SEEN_BYTES_MAX, "The rows that a recursive UNION (not UNION ALL) remembers take");
  private final KeyedRecord record = new KeyedRecord();
  private ExecContext ctx;
  private RowSpool working;
  private RowSpool fresh;
  private boolean seeding;
  private boolean atEnd = true;

  RecursionOperator(RecursionNode node, Operator seed, Operator step) {
    this.node = node;
    this.seed = seed;
    this.step = step;
    this.keys = new KeyWriter(node.types(), KeyWriter.allColumns(node.types().length));
    this.working = new RowSpool(node.types());
    this.fresh = new RowSpool(node.types());
  }

  @Override
  public void open(ExecContext context) {
    close();
    ctx = context;
    seen.clear();
    working.reset(context);
    fresh.reset(context);
    seeding = true;
    atEnd = false;
    seed.open(context);
  }

  @Override
  public RowBatch next() {
    while (!atEnd) {
      ctx.checkInterrupt();
      ctx.workTables.put(node.workTable(), working);
      RowBatch batch = seeding ? seed.next() : step.next();
      if (batch == null) {
        iterate();
        continue;
      }
      if (!node.all()) {
        dropSeen(batch);
      }
      for (int row = 0; row < batch.size; row++) {
        fresh.add(batch, row);
      }
      if (batch.size > 0) {
        return batch;
      }
    }
    return null;
  }

  /** Makes the rows of this iteration the input of the next one. */
  private void iterate() {
    if (fresh.rows() == 0) {
      atEnd = true;
      return;
    }
    RowSpool read = working;
    working = fresh;
    fresh = read;
    fresh.reset(ctx);
    seeding = false;
    ctx.workTables.put(node.workTable(), working);
    step.open(ctx);
  }

  private void dropSeen(RowBatch batch) {
    int kept = 0;
    for (int row = 0; row < batch.size; row++) {
      record.startKey();
      keys.write(batch, row, record.sink);
      record.endKey();
      long hash = record.hash();
      if (seen.find(hash, record.array(), 4, record.keyLength()) < 0) {
        seen.add(hash, record.array(), record.length());
        Rows.moveDown(batch, row, kept++);
      }
    }
    batch.size = kept;
    memory.take(ctx.statementMemory, seen.bytes());
  }

  @Override
  public void close() {
    seen.release();
    memory.release();
    atEnd = true;
    seed.close();
    step.close();
    working.close();
    fresh.close();
    if (ctx != null) {
      ctx.workTables.remove(node.workTable());
    }
  }
}
