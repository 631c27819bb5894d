/** What compute nodes say to each other about transactions: message types and layouts. */
package io.gauss.compute.txn.wire;
