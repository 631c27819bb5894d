/**
 * Bound statements: Calcite's relational algebra, with the operators and types of PostgreSQL that
 * it lacks. Begin with {@link io.gauss.compute.sql.algebra.BoundStatement} and {@link
 * io.gauss.compute.sql.algebra.PgRex}.
 */
package io.gauss.compute.sql.algebra;
