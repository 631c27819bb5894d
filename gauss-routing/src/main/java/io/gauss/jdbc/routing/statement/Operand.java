package io.gauss.jdbc.routing.statement;

/**
 * The source of a predicate's value in one text.
 *
 * @param parameter position among the statement's parameters, from 0; -1 for a literal
 * @param literal a Long, Double or String; null for parameters and for values that are not literals
 */
record Operand(int parameter, Object literal) {
  /** A value that the text does not show, such as that of an expression or of DEFAULT. */
  static final Operand UNKNOWN = new Operand(-1, null);
}
