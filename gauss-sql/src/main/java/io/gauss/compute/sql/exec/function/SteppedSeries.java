package io.gauss.compute.sql.exec.function;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;

/**
 * {@code generate_series(start, stop, step)} over a type with an operator {@code +}: numeric,
 * timestamps. Immutable.
 */
public final class SteppedSeries implements RowProducer {
  private final PgType type;
  private final PgType step;
  private final Expr next;
  private final Expr ascending;
  private final Expr descending;

  /**
   * @param next value plus step, over a row (value, step)
   * @param ascending whether the step is above zero, over the same row
   * @param descending whether it is below zero
   */
  public SteppedSeries(PgType type, PgType step, Expr next, Expr ascending, Expr descending) {
    this.type = type;
    this.step = step;
    this.next = next;
    this.ascending = ascending;
    this.descending = descending;
  }

  @Override
  public Rows open(ExecContext ctx, Value[] arguments) {
    for (Value argument : arguments) {
      if (argument.isNull) {
        return (out, maxRows) -> false;
      }
    }
    if (type.is(PgType.NUMERIC)) {
      requireFinite("start value", arguments[0]);
      requireFinite("stop value", arguments[1]);
      requireFinite("step size", arguments[2]);
    }
    RowBatch row = io.gauss.compute.sql.exec.row.Rows.batch(new PgType[] {type, step});
    row.columns[0].set(0, arguments[0]);
    row.columns[1].set(0, arguments[2]);
    boolean up = ascending.test(ctx.eval, row, 0);
    if (!up && !descending.test(ctx.eval, row, 0)) {
      throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, "step size cannot equal zero");
    }
    Value last = new Value();
    Values.copy(type, arguments[1], last, null);
    return new Series(ctx, row, last, up);
  }

  private static void requireFinite(String what, Value value) {
    if (value.special != 0) {
      String kind = Numerics.isNaN(value) ? "NaN" : "infinity";
      throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, what + " cannot be " + kind);
    }
  }

  private final class Series implements Rows {
    private final ExecContext ctx;
    private final RowBatch row;
    private final Value last;
    private final boolean up;
    private final ValueOrder order = ValueOrder.of(type);
    private final Value value = new Value();

    Series(ExecContext ctx, RowBatch row, Value last, boolean up) {
      this.ctx = ctx;
      this.row = row;
      this.last = last;
      this.up = up;
    }

    @Override
    public boolean next(RowBatch out, int maxRows) {
      int count = 0;
      while (count < maxRows) {
        row.columns[0].get(0, value);
        int compared = order.compare(value, last);
        if (up ? compared > 0 : compared < 0) {
          break;
        }
        out.columns[0].set(count++, value);
        next.eval(ctx.eval, row, 0, value);
        row.columns[0].set(0, value);
      }
      out.size = count;
      return count > 0;
    }
  }
}
