/** TPC-B as pgbench runs it. Begin with {@link io.gauss.bench.tpcb.TpcbWorkload}. */
package io.gauss.bench.tpcb;
