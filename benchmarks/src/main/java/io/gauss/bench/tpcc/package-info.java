/**
 * TPC-C over JDBC: schema, initial population, the five transactions and the consistency checks.
 * Begin with {@link io.gauss.bench.tpcc.TpccWorkload}.
 */
package io.gauss.bench.tpcc;
