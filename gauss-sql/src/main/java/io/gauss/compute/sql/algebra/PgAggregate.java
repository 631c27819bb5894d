package io.gauss.compute.sql.algebra;

import io.gauss.compute.expr.call.ResolvedAggregate;
import io.gauss.compute.type.PgType;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.util.Optionality;

/** An aggregate whose overload has been found, in Calcite's algebra. Immutable. */
public final class PgAggregate extends SqlAggFunction {
  private final ResolvedAggregate function;

  public PgAggregate(ResolvedAggregate function) {
    super(
        name(function),
        null,
        SqlKind.OTHER_FUNCTION,
        ReturnTypes.explicit(PgRex.rel(function.resultType())),
        null,
        null,
        SqlFunctionCategory.SYSTEM,
        false,
        false,
        Optionality.OPTIONAL);
    this.function = function;
  }

  private static String name(ResolvedAggregate function) {
    return function.aggregate().name() + function.argumentTypes();
  }

  public ResolvedAggregate function() {
    return function;
  }

  /** The name by which the aggregate is called. */
  public String sqlName() {
    return function.aggregate().name();
  }

  public PgType result() {
    return function.resultType();
  }
}
