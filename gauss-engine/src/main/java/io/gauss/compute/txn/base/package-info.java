/**
 * Settings and counters that all parts of transactions share. Begin with {@link
 * io.gauss.compute.txn.base.TransactionSettings}.
 */
package io.gauss.compute.txn.base;
