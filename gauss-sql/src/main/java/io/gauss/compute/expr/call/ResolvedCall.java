package io.gauss.compute.expr.call;

import io.gauss.compute.expr.ConstExpr;
import io.gauss.compute.expr.ConstantFolder;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * A call whose overload has been found.
 *
 * @param function the overload
 * @param argumentTypes type to which each actual argument must be converted; unknown literals and
 *     undecided parameters get this type
 * @param resultType type of the result
 */
public record ResolvedCall(FunctionDef function, List<PgType> argumentTypes, PgType resultType) {
  /**
   * Creates the node: converts the arguments implicitly where needed and folds a call on constants.
   *
   * @param arguments actual arguments; unknown literals ({@link ConstExpr} of type unknown) are
   *     read as the required type
   */
  public Expr bind(Expr... arguments) {
    Expr[] coerced = new Expr[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      coerced[i] = CastRegistry.coerce(arguments[i], argumentTypes.get(i), CastContext.IMPLICIT);
    }
    return ConstantFolder.fold(function.factory().create(function, coerced));
  }
}
