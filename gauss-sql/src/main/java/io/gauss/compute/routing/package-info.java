/**
 * The samples from which routing of transactions to compute nodes learns, and the results. A small
 * share of the transactions is watched: the parameters of their first statements, and the groups of
 * pages that they touched.
 *
 * <p>Above engine, types and peers; below sessions and SQL, on which it does not depend.
 */
package io.gauss.compute.routing;
