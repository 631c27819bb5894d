package io.gauss.compute.sql.exec.window;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.node.WindowFrame;
import io.gauss.compute.sql.exec.node.WindowFrame.Bound;
import io.gauss.compute.sql.exec.node.WindowFrame.Mode;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.type.Interval;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;

/** The bounds of each row's frame. One execution at a time. */
final class WindowBounds {
  private final WindowFrame frame;
  private final SortKey key;
  private final PgType keyType;
  private final ValueOrder order;
  private final Value value = new Value();
  private final Value bound = new Value();
  private RowBatch startStep;
  private RowBatch endStep;
  private long startOffset;
  private long endOffset;
  private ExecContext ctx;
  private WindowPartition partition;
  private int firstValue;
  private int endOfValues;

  WindowBounds(WindowFrame frame, SortKey[] order, PgType[] types) {
    this.frame = frame;
    boolean byValue = frame.before() != null;
    this.key = byValue ? order[0] : null;
    this.keyType = byValue ? types[key.column()] : null;
    this.order = byValue ? ValueOrder.of(keyType) : null;
  }

  void open(ExecContext context) {
    ctx = context;
    if (frame.startOffset() != null) {
      Value offset = offset(frame.startOffset(), "starting");
      startOffset = offset.l;
      startStep = step(frame.startOffset(), offset);
    }
    if (frame.endOffset() != null) {
      Value offset = offset(frame.endOffset(), "ending");
      endOffset = offset.l;
      endStep = step(frame.endOffset(), offset);
    }
  }

  private RowBatch step(Expr expr, Value offset) {
    if (frame.mode() == Mode.ROWS) {
      return null;
    }
    RowBatch row = Rows.batch(new PgType[] {keyType, expr.type()});
    row.columns[1].set(0, offset);
    return row;
  }

  private Value offset(Expr expr, String which) {
    Value offset = new Value();
    expr.eval(ctx.eval, null, 0, offset);
    if (offset.isNull) {
      throw new GaussException(
          SqlState.NULL_VALUE_NOT_ALLOWED, "frame " + which + " offset must not be null");
    }
    PgType type = expr.type();
    boolean negative =
        type.is(PgType.INTERVAL)
            ? Interval.wholeDays(offset) < 0
                || (Interval.wholeDays(offset) == 0 && Interval.restMicros(offset) < 0)
            : type.is(PgType.NUMERIC)
                ? offset.special == 0 && Numerics.toBig(offset).signum() < 0
                : type.isFloat() ? offset.d < 0 : offset.l < 0;
    if (negative) {
      throw new GaussException(
          SqlState.INVALID_PRECEDING_OR_FOLLOWING_SIZE,
          frame.mode() == Mode.ROWS
              ? "frame " + which + " offset must not be negative"
              : "invalid preceding or following size in window function");
    }
    return offset;
  }

  void partition(WindowPartition next) {
    partition = next;
    if (key == null) {
      return;
    }
    boolean[] nulls = next.rows.columns[key.column()].nulls;
    firstValue = 0;
    endOfValues = next.size();
    while (firstValue < endOfValues && nulls[firstValue]) {
      firstValue++;
    }
    while (endOfValues > firstValue && nulls[endOfValues - 1]) {
      endOfValues--;
    }
  }

  /** First row of the frame. */
  int start(int row) {
    int size = partition.size();
    return switch (frame.start()) {
      case UNBOUNDED_PRECEDING -> 0;
      case CURRENT_ROW -> frame.mode() == Mode.ROWS ? row : partition.firstPeer[row];
      case PRECEDING ->
          frame.mode() == Mode.ROWS
              ? (int) Math.max(0, row - startOffset)
              : byValue(row, Bound.PRECEDING, startStep, false);
      case FOLLOWING ->
          frame.mode() == Mode.ROWS
              ? (int) Math.min(size, saturated(row, startOffset))
              : byValue(row, Bound.FOLLOWING, startStep, false);
      case UNBOUNDED_FOLLOWING -> size;
    };
  }

  /** The row after the last row of the frame. */
  int end(int row) {
    int size = partition.size();
    return switch (frame.end()) {
      case UNBOUNDED_PRECEDING -> 0;
      case CURRENT_ROW -> frame.mode() == Mode.ROWS ? row + 1 : partition.endOfPeers[row];
      case PRECEDING ->
          frame.mode() == Mode.ROWS
              ? (int) Math.max(0, row - endOffset + 1)
              : byValue(row, Bound.PRECEDING, endStep, true);
      case FOLLOWING ->
          frame.mode() == Mode.ROWS
              ? (int) Math.min(size, saturated(row + 1, endOffset))
              : byValue(row, Bound.FOLLOWING, endStep, true);
      case UNBOUNDED_FOLLOWING -> size;
    };
  }

  private static long saturated(int row, long offset) {
    return offset > Integer.MAX_VALUE ? Integer.MAX_VALUE : row + offset;
  }

  /**
   * The first row whose value is not before the bound, or the first after it. NULLs form a frame of
   * their own.
   */
  private int byValue(int row, Bound direction, RowBatch step, boolean behind) {
    ColumnsOf column = new ColumnsOf(partition.rows, key.column());
    if (column.isNull(row)) {
      return behind ? partition.endOfPeers[row] : partition.firstPeer[row];
    }
    column.get(row, value);
    step.columns[0].clear();
    step.columns[0].set(0, value);
    boolean down = (direction == Bound.PRECEDING) != key.descending();
    bound(step, down);
    int low = firstValue;
    int high = endOfValues;
    while (low < high) {
      int middle = (low + high) >>> 1;
      column.get(middle, value);
      int compared = order.compare(value, bound);
      compared = key.descending() ? -compared : compared;
      if (behind ? compared <= 0 : compared < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The value at the offset; an integer beyond the type's limit becomes that limit. */
  private void bound(RowBatch step, boolean down) {
    try {
      (down ? frame.before() : frame.after()).eval(ctx.eval, step, 0, bound);
    } catch (GaussException e) {
      if (!keyType.is(PgType.INT8) || e.state() != SqlState.NUMERIC_VALUE_OUT_OF_RANGE) {
        throw e;
      }
      bound.setLong(down ? Long.MIN_VALUE : Long.MAX_VALUE);
    }
  }

  private record ColumnsOf(RowBatch rows, int column) {
    boolean isNull(int row) {
      return rows.columns[column].nulls[row];
    }

    void get(int row, Value out) {
      rows.columns[column].get(row, out);
    }
  }
}
