/**
 * Physical plan nodes: immutable descriptions, shared by all sessions that run a plan. The
 * operators of the package above run them, with the state of one execution.
 *
 * <p>Conventions. Column positions in expressions and in {@code int[]} components are positions in
 * the node's input batch; a join's condition sees the left columns followed by the right columns.
 * Keys for joins, sorting and grouping are compared by their order-preserving encoding, so both
 * sides of a join key have the same type (the planner casts).
 */
package io.gauss.compute.sql.exec.node;
