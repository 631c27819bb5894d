package io.gauss.bench.model;

/**
 * Pages or rows of which each serves one transaction at a time. If the next one comes from another
 * node, the page has to be made durable and to travel first.
 *
 * @param name for users
 * @param count of them, all accessed equally
 * @param visits of a transaction to all of them together
 * @param statementsHeld statements of the client during which it is kept: those from a row's change
 *     to the commit; 0 for a page, which is free as soon as the change is made
 */
record HotSpot(String name, int count, double visits, int statementsHeld) {}
