package io.gauss.compute.expr.call;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;

/** Which types convert to which, and the expressions that do it. Pure. */
public final class CastRegistry {
  private CastRegistry() {}

  /**
   * Whether a value of a type may be converted in a context; unknown literals convert to any type.
   */
  public static boolean canCoerce(PgType from, PgType to, CastContext context) {
    boolean any = to.is(PgType.ANY) || to.is(PgType.ANYELEMENT);
    if (from.sameType(to) || any || from.isUnknown()) {
      return true;
    }
    if (to.is(PgType.ANYNONARRAY)) {
      return !from.isArray();
    }
    CastContext needed = neededContext(from, to);
    return needed != null && needed.compareTo(context) <= 0;
  }

  /** The first context in which the conversion is allowed, null when there is none. */
  private static CastContext neededContext(PgType from, PgType to) {
    CastContext declared = CastTable.context(from, to);
    if (declared != null) {
      return declared;
    }
    if (from.isArray() && to.isArray() && !to.isVector()) {
      return from.element().sameType(to.element())
          ? CastContext.IMPLICIT
          : neededContext(from.element(), to.element());
    }
    if (from.is(PgType.VOID) && to.isString()) {
      return CastContext.ASSIGNMENT;
    }
    if (from.isPseudo() || to.isPseudo()) {
      return null;
    }
    // Through the text form: to a string on assignment, from a string only explicitly.
    if (to.isString()) {
      return CastContext.ASSIGNMENT;
    }
    return from.isString() ? CastContext.EXPLICIT : null;
  }

  /**
   * Converts an expression to a type, modifier included.
   *
   * @throws GaussException 42846 when there is no such conversion in this context; 22P02 and others
   *     from reading an unknown literal
   */
  public static Expr coerce(Expr expr, PgType to, CastContext context) {
    PgType from = expr.type();
    if (to.isConstrained() && !from.equals(to)) {
      // The binder makes such conversions, since it knows the conditions.
      throw GaussException.notSupported("a value of domain %s here".formatted(to.displayName()));
    }
    if (!canCoerce(from, to, context)) {
      throw new GaussException(
          SqlState.CANNOT_COERCE,
          "cannot cast type " + from.displayName() + " to " + to.displayName());
    }
    return Casts.convert(expr, to, context);
  }
}
