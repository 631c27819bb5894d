/**
 * Micro-benchmarks, run by JMH: single parts of the engine, the protocols and the driver. Begin
 * with {@link io.gauss.bench.micro.TransactionBenchmark} and {@link
 * io.gauss.bench.micro.TreeBenchmark}.
 */
package io.gauss.bench.micro;
