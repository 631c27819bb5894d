/**
 * Measures the benefit of routing: the same load under each way to choose a node, on a running
 * cluster.
 */
package io.gauss.bench.routing;
