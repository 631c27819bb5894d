package io.gauss.jdbc.routing.model;

/**
 * Page groups that the model takes as one: neighbours in one tree.
 *
 * @param first lowest number of a page group
 * @param last highest, inclusive
 */
public record GroupRange(int first, int last) {}
