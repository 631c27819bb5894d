package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.Value;

/** Replaces a constant expression by its value. */
public final class ConstantFolder {
  private static final int LARGEST_KEPT = 64 << 10;

  private static final GaussException TAKES_LONG =
      new GaussException(SqlState.STATEMENT_TOO_COMPLEX, "not a constant");

  private ConstantFolder() {}

  /**
   * Evaluates an expression without columns, parameters and unstable functions. One that fails is
   * not folded, since it may never be reached (a branch of CASE), and must fail only when it is.
   * One that takes long is not folded either, because planning cannot be interrupted but execution
   * can; nor is one with a large value, because plans are cached.
   */
  public static Expr fold(Expr expr) {
    if (expr instanceof ConstExpr || !expr.isConstant()) {
      return expr;
    }
    Value value = new Value();
    EvalContext ctx = new EvalContext();
    ctx.longWork =
        () -> {
          throw TAKES_LONG;
        };
    try {
      expr.eval(ctx, null, 0, value);
    } catch (GaussException e) {
      return expr;
    }
    if (!value.isNull && value.len > LARGEST_KEPT) {
      return expr;
    }
    return ConstExpr.copyOf(expr.type(), value);
  }
}
