package io.gauss.compute.sql.exec.scan;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Instrumentation;
import io.gauss.compute.sql.exec.LimitBounds;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.node.FilterNode;
import io.gauss.compute.sql.exec.node.LimitNode;
import io.gauss.compute.sql.exec.node.ProducerNode;
import io.gauss.compute.sql.exec.node.ProjectNode;
import io.gauss.compute.sql.exec.node.ValuesNode;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.type.Value;

/**
 * Operators that hold no rows: sources without tables, filter, projection, limit, concatenation.
 */
public final class SimpleOperators {
  private SimpleOperators() {}

  /** One row without columns. */
  public static final class OneRow extends Operator {
    private final RowBatch batch = new RowBatch(new ColumnVector[0]);
    private boolean done;

    @Override
    public void open(ExecContext ctx) {
      done = false;
    }

    @Override
    public RowBatch next() {
      if (done) {
        return null;
      }
      done = true;
      batch.size = 1;
      return batch;
    }

    @Override
    public void close() {}
  }

  /** Rows of expressions. */
  public static final class ValuesOperator extends Operator {
    private final ValuesNode node;
    private final RowBatch batch;
    private ExecContext ctx;
    private int position;

    public ValuesOperator(ValuesNode node) {
      this.node = node;
      this.batch = Rows.batch(node.types());
    }

    @Override
    public void open(ExecContext context) {
      ctx = context;
      position = 0;
    }

    @Override
    public RowBatch next() {
      Expr[][] rows = node.rows();
      if (position == rows.length) {
        return null;
      }
      ctx.checkInterrupt();
      ctx.eval.resetScratch();
      batch.clear();
      while (position < rows.length && batch.size < MAX_ROWS) {
        Values.eval(ctx.eval, rows[position++], null, 0, batch, batch.size++);
      }
      return batch;
    }

    @Override
    public void close() {}
  }

  /** Rows that code makes. */
  public static final class ProducerOperator extends Operator {
    private final ProducerNode node;
    private final RowBatch batch;
    private final Value[] arguments;
    private ExecContext ctx;
    private RowProducer.Rows rows;
    private int size;

    public ProducerOperator(ProducerNode node) {
      this.node = node;
      this.batch = Rows.batch(node.types());
      arguments = new Value[node.arguments().length];
      for (int i = 0; i < arguments.length; i++) {
        arguments[i] = new Value();
      }
    }

    @Override
    public void open(ExecContext context) {
      ctx = context;
      size = FIRST_ROWS;
      for (int i = 0; i < arguments.length; i++) {
        node.arguments()[i].eval(ctx.eval, null, 0, arguments[i]);
      }
      rows = node.producer().open(ctx, arguments);
    }

    @Override
    public RowBatch next() {
      ctx.checkInterrupt();
      batch.clear();
      if (!rows.next(batch, size)) {
        return null;
      }
      size = Math.min(size * 2, MAX_ROWS);
      return batch;
    }

    @Override
    public void close() {
      rows = null;
    }
  }

  /** Drops rows in the input's batch. */
  public static final class Filter extends Operator {
    private final FilterNode node;
    private final Operator input;
    private ExecContext ctx;
    private Instrumentation.Counters counters;

    public Filter(FilterNode node, Operator input) {
      this.node = node;
      this.input = input;
    }

    @Override
    public void open(ExecContext context) {
      ctx = context;
      counters = context.instrumentation == null ? null : context.instrumentation.of(node);
      input.open(context);
    }

    @Override
    public RowBatch next() {
      while (true) {
        RowBatch batch = input.next();
        if (batch == null) {
          return null;
        }
        ctx.checkInterrupt();
        ctx.eval.resetScratch();
        int kept = 0;
        for (int row = 0; row < batch.size; row++) {
          if (node.condition().test(ctx.eval, batch, row)) {
            Rows.moveDown(batch, row, kept++);
          }
        }
        if (counters != null) {
          counters.rowsRemoved += batch.size - kept;
        }
        if (kept > 0) {
          batch.size = kept;
          return batch;
        }
      }
    }

    @Override
    public void close() {
      input.close();
    }
  }

  /** Computes columns into its own batch. */
  public static final class Project extends Operator {
    private final Expr[] columns;
    private final Operator input;
    private final RowBatch batch;
    private ExecContext ctx;

    public Project(ProjectNode node, Operator input) {
      this.columns = node.columns();
      this.input = input;
      this.batch = Rows.batch(node.types());
    }

    @Override
    public void open(ExecContext context) {
      ctx = context;
      input.open(context);
    }

    @Override
    public void expectRows(long rows) {
      input.expectRows(rows);
    }

    @Override
    public RowBatch next() {
      RowBatch in = input.next();
      if (in == null) {
        return null;
      }
      ctx.checkInterrupt();
      ctx.eval.resetScratch();
      batch.clear();
      for (int row = 0; row < in.size; row++) {
        Values.eval(ctx.eval, columns, in, row, batch, row);
      }
      batch.size = in.size;
      return batch;
    }

    @Override
    public void close() {
      input.close();
    }
  }

  /** Skips and stops. */
  public static final class Limit extends Operator {
    private final LimitNode node;
    private final Operator input;
    private long skip;
    private long left;

    public Limit(LimitNode node, Operator input) {
      this.node = node;
      this.input = input;
    }

    @Override
    public void open(ExecContext ctx) {
      skip = LimitBounds.offset(ctx, node.offset());
      left = LimitBounds.limit(ctx, node.limit());
      input.open(ctx);
      if (left != Long.MAX_VALUE) {
        input.expectRows(skip + left < 0 ? Long.MAX_VALUE : skip + left);
      }
    }

    @Override
    public void expectRows(long rows) {
      if (rows < left) {
        input.expectRows(skip + rows < 0 ? Long.MAX_VALUE : skip + rows);
      }
    }

    @Override
    public RowBatch next() {
      while (left > 0) {
        RowBatch batch = input.next();
        if (batch == null) {
          left = 0;
          return null;
        }
        if (skip >= batch.size) {
          skip -= batch.size;
          continue;
        }
        if (skip > 0) {
          Rows.dropFirst(batch, (int) skip);
          skip = 0;
        }
        if (batch.size > left) {
          batch.size = (int) left;
        }
        left -= batch.size;
        return batch;
      }
      return null;
    }

    @Override
    public void close() {
      input.close();
    }
  }

  /** One input after the other. */
  public static final class UnionAll extends Operator {
    private final Operator[] inputs;
    private ExecContext ctx;
    private int current;
    private boolean opened;

    public UnionAll(Operator[] inputs) {
      this.inputs = inputs;
    }

    @Override
    public void open(ExecContext context) {
      ctx = context;
      current = 0;
      opened = false;
    }

    @Override
    public RowBatch next() {
      while (current < inputs.length) {
        if (!opened) {
          inputs[current].open(ctx);
          opened = true;
        }
        RowBatch batch = inputs[current].next();
        if (batch != null) {
          return batch;
        }
        current++;
        opened = false;
      }
      return null;
    }

    @Override
    public void close() {
      for (Operator input : inputs) {
        input.close();
      }
    }
  }
}
