package io.gauss.compute.sql.algebra;

import io.gauss.compute.expr.Volatility;
import io.gauss.compute.expr.call.FunctionDef;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;

/**
 * One overload of a PostgreSQL function or operator in Calcite's algebra. Comparisons, AND, OR,
 * NOT, IS NULL and CASE are Calcite's operators instead, since its rules look for them.
 */
public final class PgFunction extends SqlFunction {
  private final FunctionDef function;

  public PgFunction(FunctionDef function) {
    super(
        function.signature(), SqlKind.OTHER_FUNCTION, null, null, null, SqlFunctionCategory.SYSTEM);
    this.function = function;
  }

  public FunctionDef function() {
    return function;
  }

  @Override
  public boolean isDeterministic() {
    return function.volatility() != Volatility.VOLATILE;
  }

  @Override
  public boolean isDynamicFunction() {
    return function.volatility() == Volatility.STABLE;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PgFunction that && that.function.equals(function);
  }

  @Override
  public int hashCode() {
    return getName().hashCode();
  }
}
