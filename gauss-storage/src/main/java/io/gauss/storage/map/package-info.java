/**
 * The cluster map: what the nodes of a cluster agree on.
 *
 * <p>{@link io.gauss.storage.map.ClusterMapTransitions} is its state machine, a pure function;
 * {@code api} the map itself, {@code command} what changes it, {@code message} what nodes ask,
 * {@code codec} all of that in bytes, {@code service} the storage node's side and {@code client}
 * the others'.
 */
package io.gauss.storage.map;
