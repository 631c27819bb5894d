/** The messages between compute nodes about transactions: types and layouts. */
package io.gauss.compute.txn.wire;
