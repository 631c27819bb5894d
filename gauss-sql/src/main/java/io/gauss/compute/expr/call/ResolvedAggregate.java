package io.gauss.compute.expr.call;

import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * An aggregate call whose overload has been found.
 *
 * @param argumentTypes types to which the actual arguments must be converted with {@link
 *     CastRegistry#coerce}
 * @param resultType type of the result
 */
public record ResolvedAggregate(
    AggregateDef aggregate, List<PgType> argumentTypes, PgType resultType) {
  public Accumulator newAccumulator() {
    return aggregate.factory().create(argumentTypes.toArray(PgType[]::new));
  }
}
