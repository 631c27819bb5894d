package io.gauss.compute.expr;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;

/** A parameter {@code $n} of the statement. */
public final class ParamExpr extends Expr {
  private final PgType type;
  private final int index;

  /**
   * @param index position in {@link EvalContext#parameters}: 0 for {@code $1}
   */
  public ParamExpr(int index, PgType type) {
    this.index = index;
    this.type = type;
  }

  public int index() {
    return index;
  }

  @Override
  public PgType type() {
    return type;
  }

  @Override
  public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
    out.set(ctx.parameters[index]);
  }

  @Override
  boolean dependsOnParameters() {
    return true;
  }
}
