package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.PgType;

/** Refuses to sort and to group by types that have no order: json. Stateless. */
final class Sortable {
  private Sortable() {}

  /**
   * @throws GaussException 42883 when values of the type cannot be sorted
   */
  static void requireOrder(PgType type, int position) {
    if (!type.isComparable()) {
      throw missing("an ordering operator", type, position)
          .hint("Use an explicit ordering operator or modify the query.");
    }
  }

  /**
   * @throws GaussException 42883 when values of the type cannot be compared
   */
  static void requireEquality(PgType type, int position) {
    if (!type.isComparable()) {
      throw missing("an equality operator", type, position);
    }
  }

  private static GaussException missing(String what, PgType type, int position) {
    if (type.is(PgType.RECORD)) {
      return GaussException.notSupported("a row as a value").position(position);
    }
    return new GaussException(
            SqlState.UNDEFINED_FUNCTION,
            "could not identify " + what + " for type " + type.displayName())
        .position(position);
  }
}
