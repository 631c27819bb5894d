package io.gauss.compute.sql.exec.dml;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.DmlOperator;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.StatementChecks;
import io.gauss.compute.sql.exec.node.WritesInWithNode;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.RowSpool;

/**
 * Runs a statement whose WITH clause changes tables: first the statement, which runs the changes
 * whose rows it reads; then the other changes, the last one first, as in PostgreSQL; then the
 * foreign keys of all of them. The statement's rows are kept until then.
 */
public final class WritesInWithOperator extends Operator {
  private final Operator input;
  private final Operator[] writes;
  private final RowSpool rows;
  private final RowBatch batch;
  private ForeignKeys foreignKeys;
  private RowSpool.Reader reader;
  private ExecContext ctx;
  private boolean executed;

  /**
   * @param writes reading places of the changes
   */
  public WritesInWithOperator(WritesInWithNode node, Operator input, Operator[] writes) {
    this.input = input;
    this.writes = writes;
    this.rows = new RowSpool(node.types());
    this.batch = Rows.batch(node.types());
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    executed = false;
    rows.reset(context);
    foreignKeys = ForeignKeys.ofWholeStatement(foreignKeys, context);
    StatementChecks outer = context.statementChecks;
    context.statementChecks = foreignKeys;
    try {
      input.open(context);
    } finally {
      context.statementChecks = outer;
    }
  }

  @Override
  public RowBatch next() {
    if (!executed) {
      execute();
    }
    batch.clear();
    return reader.read(batch, MAX_ROWS, 0) == 0 ? null : batch;
  }

  private void execute() {
    StatementChecks outer = ctx.statementChecks;
    ctx.statementChecks = foreignKeys;
    try {
      for (RowBatch in = input.next(); in != null; in = input.next()) {
        ctx.checkInterrupt();
        for (int row = 0; row < in.size; row++) {
          rows.add(in, row);
        }
      }
      for (int i = writes.length - 1; i >= 0; i--) {
        writes[i].open(ctx);
        while (writes[i].next() != null) {
          ctx.checkInterrupt();
        }
      }
      foreignKeys.finishStatement();
    } finally {
      ctx.statementChecks = outer;
    }
    executed = true;
    reader = rows.reader();
  }

  @Override
  public DmlOperator dml() {
    return input.dml();
  }

  @Override
  public void close() {
    input.close();
    for (Operator write : writes) {
      write.close();
    }
    if (foreignKeys != null) {
      foreignKeys.forget();
    }
    rows.close();
  }
}
