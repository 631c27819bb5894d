package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;

/**
 * The rows of its partition that a window function sees.
 *
 * @param startOffset of PRECEDING and FOLLOWING, evaluated once without a row; null when there is
 *     none
 * @param before over a row (order value, offset): the order value minus the offset; null without
 *     RANGE offsets
 */
public record WindowFrame(
    Mode mode, Bound start, Bound end, Expr startOffset, Expr endOffset, Expr before, Expr after) {
  /** The unit of offsets. */
  public enum Mode {
    ROWS,
    RANGE
  }

  /** The place where a frame begins or ends. */
  public enum Bound {
    UNBOUNDED_PRECEDING,
    PRECEDING,
    CURRENT_ROW,
    FOLLOWING,
    UNBOUNDED_FOLLOWING;

    public boolean hasOffset() {
      return this == PRECEDING || this == FOLLOWING;
    }
  }
}
