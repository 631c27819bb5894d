package io.gauss.jdbc.routing.statement;

/**
 * A comparison of a column with one value.
 *
 * @param column {@code table.column} in lower case as far as the text shows it: without schema, and
 *     without table (beginning with the dot) when several tables could be meant
 * @param operator how they are compared
 */
public record Predicate(String column, Operator operator) {}
