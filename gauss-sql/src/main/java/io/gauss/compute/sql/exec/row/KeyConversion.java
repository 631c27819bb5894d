package io.gauss.compute.sql.exec.row;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueKind;
import java.math.BigDecimal;

/**
 * Converts a key value from a column's type to that of the column on the other side of a foreign
 * key.
 */
public final class KeyConversion {
  private KeyConversion() {}

  /** Converts in place; false when no value of the target type is equal to it. */
  public static boolean convert(Value value, PgType from, PgType to) {
    if (from.sameType(to) || value.isNull) {
      return true;
    }
    if (to.isInteger()) {
      return toInteger(value, from, to);
    }
    if (from.kind() == to.kind()) {
      return true;
    }
    if (from.kind() == ValueKind.LONG && to.kind() == ValueKind.NUMERIC) {
      value.setNumeric(value.l, 0);
      return true;
    }
    if (from.kind() == ValueKind.LONG && to.kind() == ValueKind.DOUBLE) {
      value.setDouble(value.l);
      return true;
    }
    throw GaussException.notSupported(
        "a foreign key between types " + from.format() + " and " + to.format());
  }

  private static boolean toInteger(Value value, PgType from, PgType to) {
    long number;
    if (from.kind() == ValueKind.NUMERIC) {
      if (value.special != 0) {
        return false;
      }
      BigDecimal exact = value.big != null ? value.big : BigDecimal.valueOf(value.l, value.scale);
      try {
        number = exact.longValueExact();
      } catch (ArithmeticException e) {
        return false;
      }
    } else if (from.kind() == ValueKind.LONG) {
      number = value.l;
    } else {
      throw GaussException.notSupported(
          "a foreign key between types " + from.format() + " and " + to.format());
    }
    boolean fits =
        switch (to.typlen()) {
          case 2 -> number == (short) number;
          case 4 -> number == (int) number;
          default -> true;
        };
    value.setLong(number);
    return fits;
  }

  public static GaussException outOfRange(PgType type) {
    return new GaussException(
        SqlState.NUMERIC_VALUE_OUT_OF_RANGE, type.displayName() + " out of range");
  }
}
