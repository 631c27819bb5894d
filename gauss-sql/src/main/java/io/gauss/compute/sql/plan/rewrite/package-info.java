/**
 * Rewrites algebra to cheaper algebra, before physical plans are made: sub-queries become joins or
 * values that are computed first, conditions move down, outer joins become inner ones. Begin with
 * {@link io.gauss.compute.sql.plan.rewrite.SubQueryRewriter} and {@link
 * io.gauss.compute.sql.plan.rewrite.LogicalRewriter}.
 */
package io.gauss.compute.sql.plan.rewrite;
