package io.gauss.compute.expr.call;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.Volatility;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.List;

/**
 * One overload of a function or operator.
 *
 * @param name function name or operator symbol
 * @param operator whether it is an operator
 * @param arguments declared types; {@link PgType#ANY} accepts any type unchanged
 * @param variadic the last argument may be repeated any number of times (at least one)
 * @param result declared result type
 * @param volatility as in pg_proc
 * @param strict NULL in, NULL out, without a call
 * @param factory creates the node from arguments that have the declared types
 */
public record FunctionDef(
    String name,
    boolean operator,
    List<PgType> arguments,
    boolean variadic,
    PgType result,
    Volatility volatility,
    boolean strict,
    Factory factory) {

  /** Creates an expression node from coerced arguments. */
  public interface Factory {
    Expr create(FunctionDef function, Expr[] arguments);
  }

  /** Body without arguments. */
  public interface Fn0 {
    void apply(EvalContext ctx, Value out);
  }

  /**
   * Body with one argument, which is not NULL when the function is strict; same for the other
   * forms.
   */
  public interface Fn1 {
    void apply(EvalContext ctx, Value a, Value out);
  }

  /** Body with two arguments. */
  public interface Fn2 {
    void apply(EvalContext ctx, Value a, Value b, Value out);
  }

  /** Body with three arguments. */
  public interface Fn3 {
    void apply(EvalContext ctx, Value a, Value b, Value c, Value out);
  }

  /** Body with any number of arguments. */
  public interface FnN {
    void apply(EvalContext ctx, Value[] arguments, Value out);
  }

  /** The declared type of the i-th actual argument. */
  PgType argument(int i) {
    return arguments.get(Math.min(i, arguments.size() - 1));
  }

  /** As error messages print it: {@code name(type, type)}. */
  public String signature() {
    return Signatures.function(name, arguments);
  }
}
