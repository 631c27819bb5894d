package io.gauss.jdbc.routing.model;

/**
 * Page groups that the model treats as one unit, for explanations to users: a unit may also have
 * other groups, or groups of its range may be elsewhere.
 *
 * @param first lowest number of a page group in it
 * @param last highest, inclusive
 */
public record GroupRange(long first, long last) {}
