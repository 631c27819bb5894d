package io.gauss.compute.sql.exec.run;

import io.gauss.common.runtime.Environment;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.DmlOperator;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Instrumentation;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.PlanNode;

/** Counts the work of an operator for EXPLAIN ANALYZE. */
final class InstrumentedOperator extends Operator {
  private final PlanNode node;
  private final Operator operator;
  private ExecContext ctx;
  private Instrumentation.Counters counters;
  private boolean first;

  InstrumentedOperator(PlanNode node, Operator operator) {
    this.node = node;
    this.operator = operator;
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    counters = context.instrumentation.of(node);
    counters.loops++;
    first = counters.loops == 1;
    long start = Environment.nanoTime();
    counters.pages.begin(ctx.engine);
    operator.open(context);
    counters.nanos += Environment.nanoTime() - start;
    counters.pages.end(ctx.engine);
  }

  @Override
  public void expectRows(long rows) {
    operator.expectRows(rows);
  }

  @Override
  public RowBatch next() {
    long start = Environment.nanoTime();
    counters.pages.begin(ctx.engine);
    RowBatch batch = operator.next();
    counters.nanos += Environment.nanoTime() - start;
    counters.pages.end(ctx.engine);
    if (first) {
      first = false;
      counters.startupNanos = counters.nanos;
    }
    if (batch != null) {
      counters.rows += batch.size;
    }
    return batch;
  }

  @Override
  public DmlOperator dml() {
    return operator.dml();
  }

  @Override
  public void close() {
    operator.close();
  }
}
