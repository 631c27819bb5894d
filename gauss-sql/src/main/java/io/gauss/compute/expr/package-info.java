/**
 * Expressions over batches of rows, compiled and evaluated column by column. The libraries of
 * functions are the packages below. Begin with {@link io.gauss.compute.expr.Expr}.
 */
package io.gauss.compute.expr;
