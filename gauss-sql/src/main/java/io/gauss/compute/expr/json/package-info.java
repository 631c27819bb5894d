/**
 * Operators, functions and aggregates of json and jsonb. Stateless, but for the accumulators of
 * aggregates; the format of jsonb is in {@code io.gauss.compute.type}.
 */
package io.gauss.compute.expr.json;
