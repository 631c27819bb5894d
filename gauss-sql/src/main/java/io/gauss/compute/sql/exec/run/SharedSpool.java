package io.gauss.compute.sql.exec.run;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.SpoolNode;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.RowSpool;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of a spool node, read once in an execution, as far as they are requested, and provided
 * to all places where the node occurs.
 */
final class SharedSpool {
  private final SpoolNode node;
  private final Operator input;
  private final RowSpool rows;
  private final List<Use> uses = new ArrayList<>();
  private boolean started;
  private boolean exhausted;

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

  /** Discards the rows; called before each execution. */
  void restart() {
    started = false;
    exhausted = false;
    input.close();
    rows.close();
  }

  private void start(ExecContext ctx) {
    if (!started) {
      rows.reset(ctx);
      input.open(ctx);
      started = true;
      exhausted = false;
    }
  }

  /**
   * Reads more rows; false at the end. All rows go to disk at once, since a spool on disk accepts
   * no more rows after it has been read.
   */
  private boolean readMore(ExecContext ctx) {
    if (exhausted) {
      return false;
    }
    long before = rows.rows();
    do {
      ctx.checkInterrupt();
      RowBatch batch = input.next();
      if (batch == null) {
        exhausted = true;
        input.close();
        break;
      }
      for (int row = 0; row < batch.size; row++) {
        rows.add(batch, row);
      }
    } while (rows.rows() == before || rows.isOnDisk());
    return rows.rows() > before;
  }

  /** One reading place. */
  private final class Use extends Operator {
    private final RowSpool.Reader reader = rows.reader();
    private final RowBatch batch = Rows.batch(node.types());
    private ExecContext ctx;

    @Override
    public void open(ExecContext context) {
      ctx = context;
      start(context);
      reader.rewind();
    }

    @Override
    public RowBatch next() {
      ctx.checkInterrupt();
      batch.clear();
      do {
        if (reader.read(batch, MAX_ROWS, 0) > 0) {
          return batch;
        }
      } while (readMore(ctx));
      return null;
    }

    @Override
    public void close() {
      // Other places may still read; restart() and the end of the input release the resources.
    }
  }
}
