package io.gauss.compute.expr.call;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Conditionals;
import io.gauss.compute.expr.ConstExpr;
import io.gauss.compute.expr.ConstantFolder;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.Logic;
import io.gauss.compute.expr.Membership;
import io.gauss.compute.expr.ValueSet;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Creates the expressions that have a syntax of their own, with PostgreSQL's type rules and errors.
 * Operands may be of type unknown where PostgreSQL accepts untyped literals. Results are folded
 * when constant.
 */
public final class Exprs {
  private Exprs() {}

  /**
   * A condition for WHERE, AND, CASE WHEN and the like.
   *
   * @param construct as the error names it: WHERE, AND, OR, NOT, CASE/WHEN, ...
   * @throws GaussException 42804 when it is not boolean
   */
  static Expr condition(Expr expr, String construct) {
    if (expr.type().isUnknown()) {
      return CastRegistry.coerce(expr, PgType.BOOL, CastContext.IMPLICIT);
    }
    if (!expr.type().is(PgType.BOOL)) {
      throw new GaussException(
          SqlState.DATATYPE_MISMATCH,
          "argument of "
              + construct
              + " must be type boolean, not type "
              + expr.type().displayName());
    }
    return expr;
  }

  private static List<Expr> conditions(List<Expr> operands, String construct) {
    List<Expr> checked = new ArrayList<>();
    for (Expr operand : operands) {
      checked.add(condition(operand, construct));
    }
    return checked;
  }

  public static Expr and(List<Expr> operands) {
    return operands.size() == 1
        ? condition(operands.getFirst(), "AND")
        : ConstantFolder.fold(new Logic.Junction(conditions(operands, "AND"), true));
  }

  public static Expr or(List<Expr> operands) {
    return operands.size() == 1
        ? condition(operands.getFirst(), "OR")
        : ConstantFolder.fold(new Logic.Junction(conditions(operands, "OR"), false));
  }

  public static Expr not(Expr operand) {
    return ConstantFolder.fold(new Logic.Not(condition(operand, "NOT")));
  }

  public static Expr isNull(Expr operand) {
    return ConstantFolder.fold(new Logic.IsNull(operand, true));
  }

  public static Expr isNotNull(Expr operand) {
    return ConstantFolder.fold(new Logic.IsNull(operand, false));
  }

  /** IS [NOT] TRUE or FALSE. */
  public static Expr isBoolean(Expr operand, boolean value, boolean negated) {
    String construct = "IS " + (negated ? "NOT " : "") + (value ? "TRUE" : "FALSE");
    return ConstantFolder.fold(new Logic.IsBoolean(condition(operand, construct), value, negated));
  }

  /** IS [NOT] UNKNOWN. */
  public static Expr isUnknown(Expr operand, boolean negated) {
    return ConstantFolder.fold(
        new Logic.IsNull(condition(operand, negated ? "IS NOT UNKNOWN" : "IS UNKNOWN"), !negated));
  }

  /** IS [NOT] DISTINCT FROM. */
  public static Expr isDistinct(FunctionRegistry functions, Expr a, Expr b, boolean negated) {
    ResolvedCall equal = functions.operator("=", a.type(), b.type());
    Expr left = CastRegistry.coerce(a, equal.argumentTypes().get(0), CastContext.IMPLICIT);
    Expr right = CastRegistry.coerce(b, equal.argumentTypes().get(1), CastContext.IMPLICIT);
    if (sameRepresentation(left.type(), right.type())) {
      return ConstantFolder.fold(
          new Logic.Distinct(left, right, ValueOrder.of(left.type()), negated));
    }
    return ConstantFolder.fold(new Logic.DistinctBy(left, right, equal.bind(a, b), negated));
  }

  private static boolean sameRepresentation(PgType a, PgType b) {
    return a.sameType(b) || (a.isInteger() && b.isInteger()) || (a.isFloat() && b.isFloat());
  }

  /**
   * CASE WHEN.
   *
   * @param otherwise null when there is no ELSE
   */
  public static Expr caseWhen(List<Expr> conditions, List<Expr> results, Expr otherwise) {
    Expr last = otherwise == null ? ConstExpr.ofNull(PgType.UNKNOWN) : otherwise;
    // PostgreSQL considers ELSE first when it chooses the type.
    List<PgType> types = new ArrayList<>();
    types.add(last.type());
    results.forEach(r -> types.add(r.type()));
    PgType type = CommonType.of("CASE", types);
    List<Expr> converted = coerceAll(results, type);
    return ConstantFolder.fold(
        new Conditionals.Case(
            type,
            conditions(conditions, "CASE/WHEN"),
            converted,
            CastRegistry.coerce(last, type, CastContext.IMPLICIT)));
  }

  private static List<Expr> coerceAll(List<Expr> operands, PgType type) {
    List<Expr> converted = new ArrayList<>();
    for (Expr operand : operands) {
      converted.add(CastRegistry.coerce(operand, type, CastContext.IMPLICIT));
    }
    return converted;
  }

  private static PgType commonType(String construct, List<Expr> operands) {
    return CommonType.of(construct, operands.stream().map(Expr::type).toList());
  }

  public static Expr coalesce(List<Expr> operands) {
    PgType type = commonType("COALESCE", operands);
    return ConstantFolder.fold(new Conditionals.Coalesce(type, coerceAll(operands, type)));
  }

  /** GREATEST or LEAST. */
  public static Expr extreme(List<Expr> operands, boolean greatest) {
    PgType type = commonType(greatest ? "GREATEST" : "LEAST", operands);
    return ConstantFolder.fold(new Conditionals.Extreme(type, coerceAll(operands, type), greatest));
  }

  public static Expr nullIf(FunctionRegistry functions, Expr a, Expr b) {
    ResolvedCall equal = functions.operator("=", a.type(), b.type());
    // The result has the type to which the operator converts the left side.
    Expr left =
        a.type().isUnknown()
            ? CastRegistry.coerce(a, equal.argumentTypes().get(0), CastContext.IMPLICIT)
            : a;
    return ConstantFolder.fold(new Conditionals.NullIf(left, equal.bind(left, b)));
  }

  /** a [NOT] IN (list): a set when the list is constant. */
  public static Expr in(FunctionRegistry functions, Expr a, List<Expr> list, boolean negated) {
    List<PgType> types = new ArrayList<>();
    types.add(a.type());
    list.forEach(item -> types.add(item.type()));
    PgType common = commonOrNull(types);
    if (common != null) {
      ResolvedCall equal = functions.operator("=", a.type(), common);
      PgType left = equal.argumentTypes().get(0);
      PgType right = equal.argumentTypes().get(1);
      if (sameRepresentation(left, right)) {
        List<Expr> items = coerceAll(coerceAll(list, common), right);
        if (items.stream().allMatch(ConstExpr.class::isInstance)) {
          return inSet(CastRegistry.coerce(a, left, CastContext.IMPLICIT), left, items, negated);
        }
      }
    }
    List<Expr> comparisons = new ArrayList<>();
    for (Expr item : list) {
      comparisons.add(
          negated
              ? functions.operator("<>", a.type(), item.type()).bind(a, item)
              : functions.operator("=", a.type(), item.type()).bind(a, item));
    }
    return negated ? and(comparisons) : or(comparisons);
  }

  private static PgType commonOrNull(List<PgType> types) {
    try {
      return CommonType.of("IN", types);
    } catch (GaussException e) {
      // Then every comparison resolves its own operator, or reports the error.
      return null;
    }
  }

  private static Expr inSet(Expr a, PgType type, List<Expr> items, boolean negated) {
    List<Value> values = new ArrayList<>();
    boolean anyNull = false;
    for (Expr item : items) {
      Value value = ((ConstExpr) item).value();
      anyNull |= value.isNull;
      if (!value.isNull) {
        values.add(value);
      }
    }
    ValueSet set = new ValueSet(ValueOrder.of(type), values);
    return ConstantFolder.fold(new Membership.InSet(a, set, anyNull, negated));
  }

  /**
   * a operator ANY (array), or ALL.
   *
   * @throws GaussException 42809 when the right side is not an array, 42883 when there is no such
   *     operator
   */
  public static Expr quantified(
      FunctionRegistry functions, String operator, Expr a, Expr array, boolean any) {
    PgType arrayType = array.type();
    PgType element;
    if (arrayType.isUnknown()) {
      element = a.type().isUnknown() ? PgType.TEXT : a.type();
    } else if (arrayType.isArray()) {
      element = arrayType.element();
    } else {
      throw new GaussException(
          SqlState.WRONG_OBJECT_TYPE, "op ANY/ALL (array) requires array on right side");
    }
    ResolvedCall call = functions.operator(operator, a.type(), element);
    PgType right = call.argumentTypes().get(1);
    PgType rightArray = right.withTypmod(-1).array();
    if (rightArray == null) {
      throw GaussException.notSupported("an array of " + right.displayName());
    }
    Expr list =
        arrayType.isUnknown()
            ? CastRegistry.coerce(array, rightArray, CastContext.IMPLICIT)
            : array;
    Expr left = CastRegistry.coerce(a, call.argumentTypes().get(0), CastContext.IMPLICIT);
    Expr applied =
        call.bind(
            new Membership.Slot(left.type(), true),
            new Membership.Slot(list.type().element(), false));
    if (!applied.type().is(PgType.BOOL)) {
      throw new GaussException(
          SqlState.WRONG_OBJECT_TYPE, "op ANY/ALL (array) requires operator to yield boolean");
    }
    return ConstantFolder.fold(new Membership.Quantified(left, list, applied, any));
  }

  /** ARRAY[...]. */
  public static Expr array(List<Expr> items) {
    if (items.isEmpty()) {
      throw new GaussException(
              SqlState.INDETERMINATE_DATATYPE, "cannot determine type of empty array")
          .hint("Explicitly cast to the desired type, for example ARRAY[]::integer[].");
    }
    PgType type = commonType("ARRAY", items).withTypmod(-1);
    PgType array = type.array();
    if (array == null) {
      throw GaussException.notSupported("an array of " + type.displayName());
    }
    return ConstantFolder.fold(new Membership.ArrayConstructor(array, coerceAll(items, type)));
  }
}
