/**
 * A whole cluster in one thread, in which a seed decides everything: when each thread runs, what
 * time it is, how messages fare, which node is killed.
 */
package io.gauss.simulation;
