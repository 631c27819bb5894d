/**
 * Runs workloads over plain JDBC against any server and reports the results. A workload is a
 * package below. Begin with {@link io.gauss.bench.BenchRunner} and {@link io.gauss.bench.Workload}.
 */
package io.gauss.bench;
