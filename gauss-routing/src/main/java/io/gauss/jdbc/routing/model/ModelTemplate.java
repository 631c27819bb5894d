package io.gauss.jdbc.routing.model;

/**
 * A statement template that the model knows.
 *
 * @param id of the template
 * @param columns for each of its predicates the column's place among the model's columns, or -1 for
 *     columns that the model leaves out. Not to be changed
 */
public record ModelTemplate(long id, int[] columns) {}
