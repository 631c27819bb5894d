/**
 * The memory tier as one compute node reaches it: the homes of pages and locks by bucket, and the
 * messages to and from them. Knows nothing of frames, trees or transactions.
 */
package io.gauss.compute.cluster.memory;
