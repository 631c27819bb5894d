/** YCSB's core workloads. Begin with {@link io.gauss.bench.ycsb.YcsbWorkload}. */
package io.gauss.bench.ycsb;
