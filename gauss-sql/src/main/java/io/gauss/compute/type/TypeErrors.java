package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.charset.StandardCharsets;

/** Errors that several types raise, with PostgreSQL's texts. */
public final class TypeErrors {
  private TypeErrors() {}

  static String text(byte[] from, int offset, int length) {
    return new String(from, offset, length, StandardCharsets.UTF_8);
  }

  static GaussException invalidSyntax(PgType type, String text) {
    return new GaussException(
        SqlState.INVALID_TEXT_REPRESENTATION,
        "invalid input syntax for type " + type.displayName() + ": \"" + text + "\"");
  }

  static GaussException invalidSyntax(PgType type, byte[] from, int offset, int length) {
    return invalidSyntax(type, text(from, offset, length));
  }

  static GaussException textOutOfRange(PgType type, byte[] from, int offset, int length) {
    return new GaussException(
        SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
        "value \""
            + text(from, offset, length)
            + "\" is out of range for type "
            + type.displayName());
  }

  /** For example {@code integer out of range}. */
  public static GaussException outOfRange(PgType type) {
    return new GaussException(
        SqlState.NUMERIC_VALUE_OUT_OF_RANGE, type.displayName() + " out of range");
  }

  public static GaussException divisionByZero() {
    return new GaussException(SqlState.DIVISION_BY_ZERO, "division by zero");
  }

  public static GaussException numericOverflow() {
    return new GaussException(
        SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
  }

  public static GaussException floatOverflow() {
    return new GaussException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: overflow");
  }

  public static GaussException floatUnderflow() {
    return new GaussException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: underflow");
  }

  public static GaussException timestampOutOfRange() {
    return new GaussException(SqlState.DATETIME_FIELD_OVERFLOW, "timestamp out of range");
  }

  public static GaussException dateOutOfRange() {
    return new GaussException(SqlState.DATETIME_FIELD_OVERFLOW, "date out of range");
  }

  public static GaussException intervalOutOfRange() {
    return new GaussException(SqlState.DATETIME_FIELD_OVERFLOW, "interval out of range");
  }

  static GaussException badBinary(PgType type) {
    return new GaussException(
        SqlState.INVALID_BINARY_REPRESENTATION,
        "incorrect binary data format for type " + type.displayName());
  }

  static void checkLength(PgType type, int length, int wanted) {
    if (length != wanted) {
      throw length < wanted
          ? new GaussException(SqlState.PROTOCOL_VIOLATION, "insufficient data left in message")
          : badBinary(type);
    }
  }
}
