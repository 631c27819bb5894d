package io.gauss.compute.expr.call;

import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * One overload of an aggregate function.
 *
 * @param arguments declared argument types; {@link PgType#ANY} takes any type as it is; empty for
 *     {@code count(*)}
 * @param result declared result type
 * @param ignoresNulls rows whose first argument is NULL are not given to the accumulator
 * @param emptyIsNull result over no row (as given to the accumulator) is NULL, else what an unused
 *     accumulator answers
 * @param factory makes the state of one group
 */
public record AggregateDef(
    String name,
    List<PgType> arguments,
    PgType result,
    boolean ignoresNulls,
    boolean emptyIsNull,
    Factory factory) {

  /** Makes an accumulator for arguments of the given (coerced) types. */
  public interface Factory {
    Accumulator create(PgType[] arguments);
  }
}
