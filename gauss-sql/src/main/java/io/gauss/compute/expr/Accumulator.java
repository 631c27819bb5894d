package io.gauss.compute.expr;

import io.gauss.compute.expr.call.AggregateDef;
import io.gauss.compute.type.Value;

/**
 * State of one aggregate over one group. Not thread-safe. It copies bytes that it keeps. DISTINCT,
 * ORDER BY and FILTER are the executor's: it gives the accumulator the rows that count, in order.
 */
public abstract class Accumulator {
  /**
   * Takes in one row.
   *
   * @param arguments evaluated arguments; the first is not NULL when {@link
   *     AggregateDef#ignoresNulls}
   */
  public abstract void add(EvalContext ctx, Value[] arguments);

  /**
   * Takes in another accumulator of the same aggregate and argument types, which holds later rows.
   */
  public abstract void merge(EvalContext ctx, Accumulator other);

  /**
   * Gives the result of what has been taken in; the accumulator can continue. Bytes in it live as
   * long as it does.
   */
  public abstract void result(EvalContext ctx, Value out);

  /** Empties it for another group. */
  public abstract void reset();

  /** Heap bytes it holds, roughly, to decide about spilling. */
  public int memorySize() {
    return 48;
  }
}
