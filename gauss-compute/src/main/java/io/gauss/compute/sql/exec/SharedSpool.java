package io.gauss.compute.sql.exec;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.node.SpoolNode;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of a spool node, read at its first use in an execution and served to all places where
 * the node stands.
 */
final class SharedSpool {
  private final SpoolNode node;
  private final Operator input;
  private final RowSpool rows;
  private final List<Use> uses = new ArrayList<>();
  private boolean filled;

  SharedSpool(SpoolNode node, Operator input) {
    this.node = node;
    this.input = input;
    this.rows = new RowSpool(node.types());
  }

  /** A new place where the rows are read. */
  Operator newUse() {
    Use use = new Use();
    uses.add(use);
    return use;
  }

  /** Forgets the rows: before each execution. */
  void restart() {
    filled = false;
    rows.close();
  }

  private void fill(ExecContext ctx) {
    if (!filled) {
      rows.reset(ctx);
      input.open(ctx);
      rows.addAll(input, ctx);
      input.close();
      filled = true;
    }
  }

  /** One reading place. */
  private final class Use extends Operator {
    private final RowSpool.Reader reader = rows.reader();
    private final RowBatch batch = Rows.batch(node.types());
    private ExecContext ctx;

    @Override
    void open(ExecContext context) {
      ctx = context;
      fill(context);
      reader.rewind();
    }

    @Override
    RowBatch next() {
      ctx.checkInterrupt();
      batch.clear();
      return reader.read(batch, MAX_ROWS, 0) == 0 ? null : batch;
    }

    @Override
    void close() {
      input.close();
    }
  }
}
