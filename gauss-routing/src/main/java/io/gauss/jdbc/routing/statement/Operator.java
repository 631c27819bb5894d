package io.gauss.jdbc.routing.statement;

/** How a predicate compares its column with a value. The order is part of the model's features. */
public enum Operator {
  /** Equal; also the value that an INSERT gives to the column. */
  EQUAL,
  /** One of several; the value is the first of them. */
  IN,
  /** At least, or above; also the lower end of BETWEEN. */
  FROM,
  /** At most, or below; also the upper end of BETWEEN. */
  TO
}
