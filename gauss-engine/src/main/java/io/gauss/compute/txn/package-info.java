/**
 * Transactions of a node and, with others, of the cluster: snapshots, visibility, row and table
 * locks, deadlocks, rollback and purge. Begin with {@link io.gauss.compute.txn.Transactions},
 * {@link io.gauss.compute.txn.Transaction} and {@link io.gauss.compute.txn.Visibility}.
 */
package io.gauss.compute.txn;
