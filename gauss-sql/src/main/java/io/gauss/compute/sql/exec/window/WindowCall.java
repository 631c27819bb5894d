package io.gauss.compute.sql.exec.window;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.node.WindowFunction;
import io.gauss.compute.sql.exec.node.WindowNode;
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;

/** One window function: computes its values for all rows of a partition at once. */
final class WindowCall {
  private static final int ROWS_BETWEEN_CHECKS = 1024;

  private final WindowNode.Call call;
  private final PgType type;
  private final WindowBounds bounds;
  private final Accumulator accumulator;
  private final Value[] arguments;
  private final Value value = new Value();
  private ColumnVector results;
  private ExecContext ctx;
  private WindowPartition partition;

  WindowCall(WindowNode.Call call, SortKey[] order, PgType[] inputTypes, PgType type) {
    this.call = call;
    this.type = type;
    this.bounds = new WindowBounds(call.frame(), order, inputTypes);
    this.accumulator = call.aggregate() == null ? null : call.aggregate().newAccumulator();
    arguments = new Value[call.arguments().length];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = new Value();
    }
  }

  /** Results by row of the partition that was computed last. */
  ColumnVector results() {
    return results;
  }

  void open(ExecContext context) {
    ctx = context;
    bounds.open(context);
  }

  void compute(WindowPartition rows) {
    partition = rows;
    results = new ColumnVector(type.kind());
    bounds.partition(rows);
    switch (call.function()) {
      case AGGREGATE -> aggregate();
      case NTILE -> ntile();
      case DENSE_RANK -> denseRank();
      default -> {
        for (int row = 0; row < rows.size(); row++) {
          one(row);
        }
      }
    }
  }

  private void one(int row) {
    int size = partition.size();
    switch (call.function()) {
      case ROW_NUMBER -> results.setLong(row, row + 1L);
      case RANK -> results.setLong(row, partition.firstPeer[row] + 1L);
      case PERCENT_RANK ->
          results.setDouble(row, size == 1 ? 0 : (double) partition.firstPeer[row] / (size - 1));
      case CUME_DIST -> results.setDouble(row, (double) partition.endOfPeers[row] / size);
      case LAG, LEAD -> neighbour(row);
      case FIRST_VALUE, LAST_VALUE, NTH_VALUE -> inFrame(row);
      default -> throw new IllegalStateException("function " + call.function());
    }
  }

  private void denseRank() {
    long rank = 0;
    for (int row = 0; row < partition.size(); row++) {
      rank += partition.firstPeer[row] == row ? 1 : 0;
      results.setLong(row, rank);
    }
  }

  private Value argument(int which, int row) {
    partition.rows.columns[call.arguments()[which]].get(row, arguments[which]);
    return arguments[which];
  }

  /** The first rows' buckets are larger by one when the rows do not divide evenly. */
  private void ntile() {
    Value count = argument(0, 0);
    int size = partition.size();
    if (count.isNull) {
      for (int row = 0; row < size; row++) {
        results.setNull(row);
      }
      return;
    }
    if (count.l <= 0) {
      throw new GaussException(
          SqlState.INVALID_ARGUMENT_FOR_NTILE, "argument of ntile must be greater than zero");
    }
    long buckets = count.l;
    long small = size / buckets;
    long larger = size % buckets;
    for (int row = 0; row < size; row++) {
      long inLarger = larger * (small + 1);
      results.setLong(
          row, row < inLarger ? row / (small + 1) + 1 : larger + (row - inLarger) / small + 1);
    }
  }

  private void neighbour(int row) {
    long distance = 1;
    if (arguments.length > 1) {
      Value given = argument(1, row);
      if (given.isNull) {
        results.setNull(row);
        return;
      }
      distance = given.l;
    }
    long target = call.function() == WindowFunction.LAG ? row - distance : row + distance;
    if (target >= 0 && target < partition.size()) {
      results.set(row, argument(0, (int) target));
    } else if (arguments.length > 2) {
      results.set(row, argument(2, row));
    } else {
      results.setNull(row);
    }
  }

  private void inFrame(int row) {
    int start = bounds.start(row);
    int end = bounds.end(row);
    long target =
        switch (call.function()) {
          case FIRST_VALUE -> start;
          case LAST_VALUE -> end - 1L;
          default -> {
            Value n = argument(1, row);
            if (n.isNull) {
              yield -1;
            }
            if (n.l <= 0) {
              throw new GaussException(
                  SqlState.INVALID_ARGUMENT_FOR_NTH_VALUE,
                  "argument of nth_value must be greater than zero");
            }
            yield start + n.l - 1;
          }
        };
    if (start < end && target >= start && target < end) {
      results.set(row, argument(0, (int) target));
    } else {
      results.setNull(row);
    }
  }

  // ---------------------------------------------------------------- aggregates

  private int from;
  private int to;
  private boolean used;

  /**
   * For a frame that only grows, new rows are added; any other frame is aggregated from its start.
   */
  private void aggregate() {
    restart(0);
    boolean known = false;
    for (int row = 0; row < partition.size(); row++) {
      if (row % ROWS_BETWEEN_CHECKS == 0) {
        ctx.checkInterrupt();
      }
      int start = bounds.start(row);
      int end = Math.max(start, bounds.end(row));
      boolean same = known && start == from && end == to;
      if (start != from || end < to) {
        restart(start);
      }
      for (; to < end; to++) {
        add(to);
      }
      if (!same) {
        if (!used && call.aggregate().aggregate().emptyIsNull()) {
          value.setNull();
        } else {
          accumulator.result(ctx.eval, value);
        }
        known = true;
      }
      results.set(row, value);
    }
  }

  private void restart(int start) {
    accumulator.reset();
    used = false;
    from = start;
    to = start;
  }

  private void add(int row) {
    int filter = call.filter();
    ColumnVector[] columns = partition.rows.columns;
    if (filter >= 0 && (columns[filter].nulls[row] || columns[filter].longs[row] == 0)) {
      return;
    }
    for (int i = 0; i < arguments.length; i++) {
      argument(i, row);
    }
    boolean ignored =
        call.aggregate().aggregate().ignoresNulls() && arguments.length > 0 && arguments[0].isNull;
    if (!ignored) {
      used = true;
      accumulator.add(ctx.eval, arguments);
    }
  }
}
