package io.gauss.compute.sql.plan;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.List;

/**
 * Clamps an integer to the range of a smaller integer type, for key bounds. The comparison itself
 * is kept as a filter and removes rows that do not match.
 */
final class Saturate extends Expr {
  private final Expr operand;
  private final PgType type;
  private final long min;
  private final long max;

  Saturate(Expr operand, PgType type) {
    this.operand = operand;
    this.type = type;
    if (type.is(PgType.INT2)) {
      min = Short.MIN_VALUE;
      max = Short.MAX_VALUE;
    } else if (type.is(PgType.INT4)) {
      min = Integer.MIN_VALUE;
      max = Integer.MAX_VALUE;
    } else {
      min = Long.MIN_VALUE;
      max = Long.MAX_VALUE;
    }
  }

  @Override
  public PgType type() {
    return type;
  }

  @Override
  public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
    operand.eval(ctx, in, row, out);
    if (!out.isNull) {
      out.l = Math.clamp(out.l, min, max);
    }
  }

  @Override
  public List<Expr> children() {
    return List.of(operand);
  }
}
