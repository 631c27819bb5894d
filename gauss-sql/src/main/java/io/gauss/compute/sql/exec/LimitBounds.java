package io.gauss.compute.sql.exec;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.Value;

/** What LIMIT and OFFSET say when a plan is opened. */
public final class LimitBounds {
  private LimitBounds() {}

  /** A LIMIT, {@link Long#MAX_VALUE} for none. */
  public static long limit(ExecContext ctx, Expr limit) {
    long rows = count(ctx, limit, Long.MAX_VALUE);
    if (rows < 0) {
      throw new GaussException(SqlState.INVALID_ROW_COUNT_IN_LIMIT, "LIMIT must not be negative");
    }
    return rows;
  }

  /** An OFFSET, 0 for none. */
  public static long offset(ExecContext ctx, Expr offset) {
    long rows = count(ctx, offset, 0);
    if (rows < 0) {
      throw new GaussException(SqlState.INVALID_ROW_COUNT_IN_OFFSET, "OFFSET must not be negative");
    }
    return rows;
  }

  private static long count(ExecContext ctx, Expr expression, long otherwise) {
    if (expression == null) {
      return otherwise;
    }
    Value value = ctx.eval.acquire();
    expression.eval(ctx.eval, null, 0, value);
    long rows = value.isNull ? otherwise : value.l;
    ctx.eval.release();
    return rows;
  }
}
