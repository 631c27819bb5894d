/**
 * Aggregate functions and their accumulators. Begin with {@link
 * io.gauss.compute.expr.aggregate.AggregateLibrary}.
 */
package io.gauss.compute.expr.aggregate;
