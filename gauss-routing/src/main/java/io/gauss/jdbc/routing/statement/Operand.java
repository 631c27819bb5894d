package io.gauss.jdbc.routing.statement;

/**
 * Where a predicate's value comes from in one text.
 *
 * @param parameter position among the statement's parameters, from 0; -1 for a literal
 * @param literal a Long, Double or String; null for parameters and for values that are not literals
 */
record Operand(int parameter, Object literal) {
  /** A value that cannot be told from the text, such as that of an expression or of DEFAULT. */
  static final Operand UNKNOWN = new Operand(-1, null);
}
