/**
 * Learns where transactions belong. Samples of transactions ({@link
 * io.gauss.router.train.TransactionSample}) become a graph of page groups that are touched
 * together, the graph is partitioned over the compute nodes, and a model by which drivers route is
 * trained on the samples' first statements. The results are published through {@link
 * io.gauss.router.train.ModelSink}. This package has no servers, connections or clocks.
 */
package io.gauss.router.train;
