/**
 * Learns where transactions belong. Samples of transactions ({@link
 * io.gauss.router.train.TransactionSample}) become a graph of page groups that are touched
 * together, the graph is partitioned over the compute nodes, and a model that drivers route by is
 * trained on what the samples' first statements said. The results go out through {@link
 * io.gauss.router.train.ModelSink}. No servers, connections or clocks in here.
 */
package io.gauss.router.train;
