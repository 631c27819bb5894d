package io.gauss.compute.routing.data;

/**
 * How busy a compute node is.
 *
 * @param sessions that are open
 * @param active those in which a statement runs
 * @param cpu processor time that the process has used in the last second or so, as a share of all
 *     processors that it may use, 0 to 1; below 0 = not known
 */
public record NodeLoad(int sessions, int active, double cpu) {}
