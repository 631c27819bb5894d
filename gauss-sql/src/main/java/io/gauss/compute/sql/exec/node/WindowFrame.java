package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;

/**
 * Which rows of its partition a window function sees.
 *
 * @param startOffset of PRECEDING and FOLLOWING, evaluated once without a row; null when there is
 *     none
 * @param before over a row (order value, offset): the value that is the offset before it; null
 *     without RANGE offsets
 */
public record WindowFrame(
    Mode mode, Bound start, Bound end, Expr startOffset, Expr endOffset, Expr before, Expr after) {
  /** What offsets count. */
  public enum Mode {
    ROWS,
    RANGE
  }

  /** Where a frame begins or ends. */
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
