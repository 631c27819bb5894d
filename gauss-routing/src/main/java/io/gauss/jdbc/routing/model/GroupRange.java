package io.gauss.jdbc.routing.model;

/**
 * Page groups that the model takes as one unit, for people who ask what it knows: a unit may have
 * other groups too, or groups of its range may be elsewhere.
 *
 * @param first lowest number of a page group in it
 * @param last highest, inclusive
 */
public record GroupRange(long first, long last) {}
