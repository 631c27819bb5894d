/**
 * What routing of transactions to compute nodes learns from, and what it has learned: a small share
 * of the transactions is watched, with the parameters of their first statements and the groups of
 * pages that they touched.
 *
 * <p>Above engine, types and peers, below sessions and SQL, of which it knows nothing.
 */
package io.gauss.compute.routing;
