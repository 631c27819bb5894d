package io.gauss.compute.expr;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.List;

/**
 * A compiled scalar expression. Immutable and shared by all sessions that run the plan; its state
 * per run is in the {@link EvalContext}. Evaluation never waits and touches no page, except for
 * {@code nextval}, through {@link SequenceAccess}.
 */
public abstract class Expr {
  public abstract PgType type();

  /**
   * Evaluates for one row.
   *
   * @param in the input rows; null for expressions without columns
   * @param out receives the result; byte ranges in it are valid until the row's batch or the
   *     context's scratch is reset. Its content before the call is undefined, and it is not one of
   *     the temporaries that the node takes itself.
   */
  public abstract void eval(EvalContext ctx, RowBatch in, int row, Value out);

  /** Evaluates a condition: true only for true, neither for false nor for NULL. */
  public boolean test(EvalContext ctx, RowBatch in, int row) {
    Value value = ctx.acquire();
    eval(ctx, in, row, value);
    boolean result = !value.isNull && value.l != 0;
    ctx.release();
    return result;
  }

  /** Direct operands, in order. */
  public List<Expr> children() {
    return List.of();
  }

  /**
   * Volatility of this node and all below: whether it may be folded, or evaluated once per
   * statement.
   */
  public Volatility volatility() {
    Volatility worst = Volatility.IMMUTABLE;
    for (Expr child : children()) {
      Volatility other = child.volatility();
      if (other.compareTo(worst) > 0) {
        worst = other;
      }
    }
    return worst;
  }

  /** Whether neither a column nor a parameter occurs below and the result is always the same. */
  final boolean isConstant() {
    return volatility() == Volatility.IMMUTABLE && !dependsOnRow() && !dependsOnParameters();
  }

  /** Whether a column of the input occurs. */
  public boolean dependsOnRow() {
    for (Expr child : children()) {
      if (child.dependsOnRow()) {
        return true;
      }
    }
    return false;
  }

  boolean dependsOnParameters() {
    for (Expr child : children()) {
      if (child.dependsOnParameters()) {
        return true;
      }
    }
    return false;
  }
}
