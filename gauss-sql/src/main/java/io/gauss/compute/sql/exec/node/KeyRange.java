package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;

/**
 * A range of index keys: equality on the leading columns and, optionally, bounds on the column
 * after them. Expressions see no columns (constants, parameters and slots only), are evaluated when
 * the scan is opened, and have the key column's type. A value that is NULL makes the range empty.
 *
 * @param prefix values of the leading key columns; a null element stands for IS NULL
 * @param low lower bound in SQL order of the column at {@code prefix.length}, null = none
 * @param high upper bound, null = none
 */
public record KeyRange(
    Expr[] prefix, Expr low, boolean lowInclusive, Expr high, boolean highInclusive) {
  /** Equality on leading columns alone. */
  public static KeyRange prefix(Expr... values) {
    return new KeyRange(values, null, false, null, false);
  }
}
