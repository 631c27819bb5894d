/**
 * The cluster map: the state on which the nodes of a cluster agree.
 *
 * <p>{@link io.gauss.storage.map.ClusterMapTransitions} is its state machine, a pure function;
 * {@code api} is the map itself, {@code command} its changes, {@code message} the requests of
 * nodes, {@code codec} all of that in bytes, {@code service} the storage node's side and {@code
 * client} that of all others.
 */
package io.gauss.storage.map;
