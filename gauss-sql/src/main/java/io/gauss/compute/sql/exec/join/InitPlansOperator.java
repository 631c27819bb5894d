package io.gauss.compute.sql.exec.join;

import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.DmlOperator;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.ApplyNode;
import io.gauss.compute.sql.exec.node.InitPlansNode;
import io.gauss.compute.type.ValueKind;

/** Puts the values of uncorrelated subqueries into their slots, then passes its input on. */
public final class InitPlansOperator extends Operator {
  private final InitPlansNode.InitPlan[] plans;
  private final Operator[] queries;
  private final ColumnVector[] values;
  private final Operator input;

  public InitPlansOperator(InitPlansNode node, Operator[] queries, Operator input) {
    this.plans = node.plans();
    this.queries = queries;
    this.input = input;
    values = new ColumnVector[plans.length];
    for (int i = 0; i < plans.length; i++) {
      values[i] =
          new ColumnVector(
              plans[i].kind() == ApplyNode.Kind.EXISTS
                  ? ValueKind.LONG
                  : plans[i].plan().types()[0].kind());
    }
  }

  @Override
  public void open(ExecContext ctx) {
    for (int i = 0; i < plans.length; i++) {
      values[i].clear();
      ApplyOperator.evaluate(ctx, plans[i].kind(), queries[i], values[i], 0);
      queries[i].close();
      values[i].get(0, ctx.eval.parameters[plans[i].slot()]);
    }
    input.open(ctx);
  }

  @Override
  public void expectRows(long rows) {
    input.expectRows(rows);
  }

  @Override
  public RowBatch next() {
    return input.next();
  }

  @Override
  public DmlOperator dml() {
    return input.dml();
  }

  @Override
  public void close() {
    for (Operator query : queries) {
      query.close();
    }
    input.close();
  }
}
