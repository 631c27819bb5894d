/**
 * Operators that group, sort or compare whole inputs. Begin with {@link
 * io.gauss.compute.sql.exec.aggregate.HashAggregateOperator} and {@link
 * io.gauss.compute.sql.exec.aggregate.SortOperator}.
 */
package io.gauss.compute.sql.exec.aggregate;
