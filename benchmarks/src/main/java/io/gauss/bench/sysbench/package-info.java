/** The oltp tests of sysbench. Begin with {@link io.gauss.bench.sysbench.SysbenchWorkload}. */
package io.gauss.bench.sysbench;
