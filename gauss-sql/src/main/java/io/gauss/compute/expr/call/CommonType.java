package io.gauss.compute.expr.call;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Determines the result type of UNION, CASE, VALUES, COALESCE, IN and the like (PostgreSQL's
 * chapter 10.5). Pure.
 */
public final class CommonType {
  private CommonType() {}

  /**
   * @param construct as error messages name it: CASE, COALESCE, UNION, VALUES, IN, GREATEST, LEAST,
   *     ...
   * @param types in order; unknown for untyped literals
   * @return the type to convert all to, with a modifier when all have the same one
   * @throws GaussException 42804 when they have no common type
   */
  public static PgType of(String construct, List<PgType> types) {
    PgType first = types.getFirst();
    boolean same = !first.isUnknown();
    for (PgType type : types) {
      same &= type.equals(first);
    }
    if (same) {
      return first;
    }
    PgType chosen = select(construct, types);
    return chosen.withTypmod(commonTypmod(chosen, types));
  }

  private static PgType select(String construct, List<PgType> types) {
    PgType chosen = null;
    for (PgType type : types) {
      if (type.isUnknown()) {
        continue;
      }
      if (chosen == null) {
        chosen = type;
        continue;
      }
      if (chosen.sameType(type)) {
        continue;
      }
      if (type.category() != chosen.category()) {
        throw new GaussException(
            SqlState.DATATYPE_MISMATCH,
            construct
                + " types "
                + chosen.displayName()
                + " and "
                + type.displayName()
                + " cannot be matched");
      }
      if (!chosen.preferred()
          && CastRegistry.canCoerce(chosen, type, CastContext.IMPLICIT)
          && !CastRegistry.canCoerce(type, chosen, CastContext.IMPLICIT)) {
        chosen = type;
      }
    }
    if (chosen == null) {
      return PgType.TEXT;
    }
    for (PgType type : types) {
      if (!CastRegistry.canCoerce(type, chosen, CastContext.IMPLICIT)) {
        throw new GaussException(
            SqlState.CANNOT_COERCE,
            construct
                + " could not convert type "
                + type.displayName()
                + " to "
                + chosen.displayName());
      }
    }
    return chosen;
  }

  private static int commonTypmod(PgType chosen, List<PgType> types) {
    int typmod = Integer.MIN_VALUE;
    for (PgType type : types) {
      if (type.isUnknown() || !type.sameType(chosen)) {
        return -1;
      }
      if (typmod != Integer.MIN_VALUE && typmod != type.typmod()) {
        return -1;
      }
      typmod = type.typmod();
    }
    return typmod;
  }
}
