/**
 * The memory tier as one compute node reaches it: the homes of pages and locks by bucket, and what
 * goes to them and comes from them. Knows nothing of frames, trees or transactions.
 */
package io.gauss.compute.cluster.memory;
