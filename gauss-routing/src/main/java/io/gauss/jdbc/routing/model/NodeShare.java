package io.gauss.jdbc.routing.model;

/**
 * The pages that a compute node owns.
 *
 * @param node number of the node, at least 1
 * @param loadWeight reduction of the node's score for a load of 1, 0 to 1
 * @param owned for each of the model's group ranges the share of its pages that the node owns, 0 to
 *     1. Not to be changed
 */
public record NodeShare(int node, float loadWeight, float[] owned) {}
