/**
 * Joins, correlated subqueries and subqueries that are evaluated once. Begin with {@link
 * io.gauss.compute.sql.exec.join.HashJoinOperator} and {@link
 * io.gauss.compute.sql.exec.join.NestedLoopOperator}.
 */
package io.gauss.compute.sql.exec.join;
