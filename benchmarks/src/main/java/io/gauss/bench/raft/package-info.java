/**
 * Measures the cost of a commit on three replicas, compared with plain Ratis and with the disk
 * alone. Begin with {@link io.gauss.bench.raft.RaftBench}.
 */
package io.gauss.bench.raft;
