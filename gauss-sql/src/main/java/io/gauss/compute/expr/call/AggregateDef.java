package io.gauss.compute.expr.call;

import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * One overload of an aggregate function.
 *
 * @param arguments declared argument types; {@link PgType#ANY} accepts any type unchanged; empty
 *     for {@code count(*)}
 * @param result declared result type
 * @param ignoresNulls rows whose first argument is NULL are not passed to the accumulator
 * @param emptyIsNull the result is NULL when no row was passed to the accumulator; else it is the
 *     result of an unused accumulator
 * @param factory creates the state of one group
 */
public record AggregateDef(
    String name,
    List<PgType> arguments,
    PgType result,
    boolean ignoresNulls,
    boolean emptyIsNull,
    Factory factory) {

  /** Creates an accumulator for arguments of the given (coerced) types. */
  public interface Factory {
    Accumulator create(PgType[] arguments);
  }
}
