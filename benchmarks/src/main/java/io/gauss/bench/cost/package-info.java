/**
 * What the processes of a cluster cost: what the operating system and the nodes themselves count.
 * Begin with {@link io.gauss.bench.cost.ClusterWatch}.
 */
package io.gauss.bench.cost;
