package io.gauss.compute.reference;

import java.util.Random;

/** Types of random columns and expressions. */
enum SqlType {
  INT2("smallint"),
  INT4("integer"),
  INT8("bigint"),
  NUMERIC("numeric"),
  NUMERIC_8_2("numeric(8,2)"),
  FLOAT8("double precision"),
  TEXT("text"),
  VARCHAR("varchar(12)"),
  CHAR("char(3)"),
  BOOL("boolean"),
  DATE("date"),
  TIMESTAMP("timestamp");

  /** No letter beyond ASCII has a case: that is a matter of locales. */
  private static final String[] WORDS = {"", "a", "b", "ab", "Ab", "abc", "€", "x y", "a%", "10"};

  private final String declaration;

  SqlType(String declaration) {
    this.declaration = declaration;
  }

  static SqlType any(Random random) {
    return values()[random.nextInt(values().length)];
  }

  String declaration() {
    return declaration;
  }

  boolean isNumber() {
    return ordinal() <= FLOAT8.ordinal();
  }

  boolean isText() {
    return this == TEXT || this == VARCHAR || this == CHAR;
  }

  /**
   * A constant. Doubles are multiples of a quarter: their sums are exact, in whatever order they
   * are added.
   */
  String literal(Random random) {
    return switch (this) {
      case INT2, INT4 -> number(random.nextInt(9) - 3);
      case INT8 -> random.nextInt(6) == 0 ? "5000000000" : number(random.nextInt(9) - 3);
      case NUMERIC ->
          switch (random.nextInt(4)) {
            case 0 -> number(random.nextInt(9) - 3);
            case 1 -> "12345678901234567890.123456789";
            case 2 -> "(-" + random.nextInt(3) + "." + random.nextInt(100) + ")";
            default -> random.nextInt(6) + "." + random.nextInt(100);
          };
      case NUMERIC_8_2 -> number(random.nextInt(5)) + "." + (10 + random.nextInt(90));
      case FLOAT8 -> "float8 '" + (random.nextInt(17) - 8) / 4.0 + "'";
      case TEXT, VARCHAR -> "'" + WORDS[random.nextInt(WORDS.length)] + "'";
      case CHAR -> "'" + WORDS[random.nextInt(4)] + "'";
      case BOOL -> random.nextBoolean() ? "true" : "false";
      case DATE -> "date '2024-0%d-%02d'".formatted(1 + random.nextInt(3), 28 - random.nextInt(3));
      case TIMESTAMP ->
          "timestamp '2024-02-2%d %02d:30:00%s'"
              .formatted(
                  7 + random.nextInt(3),
                  random.nextInt(3) * 11,
                  random.nextBoolean() ? "" : ".125");
    };
  }

  private static String number(int n) {
    return n < 0 ? "(" + n + ")" : Integer.toString(n);
  }
}
