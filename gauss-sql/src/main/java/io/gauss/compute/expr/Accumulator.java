package io.gauss.compute.expr;

import io.gauss.compute.expr.call.AggregateDef;
import io.gauss.compute.type.Value;

/**
 * State of one aggregate over one group. Not thread-safe. It copies bytes that it keeps. The
 * executor handles DISTINCT, ORDER BY and FILTER: it passes the accumulator only the rows to
 * aggregate, in order.
 */
public abstract class Accumulator {
  /**
   * Adds one row.
   *
   * @param arguments evaluated arguments; the first is not NULL when {@link
   *     AggregateDef#ignoresNulls}
   */
  public abstract void add(EvalContext ctx, Value[] arguments);

  /**
   * Adds the state of another accumulator of the same aggregate and argument types, which holds
   * later rows.
   */
  public abstract void merge(EvalContext ctx, Accumulator other);

  /**
   * Returns the result of the rows so far; more rows can be added afterwards. Bytes in the result
   * stay valid as long as the accumulator.
   */
  public abstract void result(EvalContext ctx, Value out);

  /** Resets it for another group. */
  public abstract void reset();

  /** Approximate heap bytes that it holds, to decide about spilling. */
  public int memorySize() {
    return 48;
  }
}
