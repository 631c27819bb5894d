package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;
import io.gauss.compute.type.Value;

/** Replaces an expression that is always the same by its value. */
public final class ConstantFolder {
  private ConstantFolder() {}

  /**
   * Evaluates an expression without columns, parameters and unstable functions. One that fails
   * stays as it is, since it may never be reached (a branch of CASE) and must fail then when it is.
   */
  public static Expr fold(Expr expr) {
    if (expr instanceof ConstExpr || !expr.isConstant()) {
      return expr;
    }
    Value value = new Value();
    try {
      expr.eval(new EvalContext(), null, 0, value);
    } catch (GaussException e) {
      return expr;
    }
    return ConstExpr.copyOf(expr.type(), value);
  }
}
