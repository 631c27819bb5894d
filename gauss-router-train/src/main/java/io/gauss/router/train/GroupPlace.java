package io.gauss.router.train;

/**
 * What a round of learning has found out about a page group; enough for another trainer to
 * continue.
 *
 * @param node number of the compute node that should own its pages
 * @param unit of groups that belong together; numbered from 0 in each publication
 * @param weight how much it is used, faded with time
 */
public record GroupPlace(int node, int unit, float weight) {}
