/**
 * Operators that write: INSERT, UPDATE, DELETE and COPY FROM, with constraints and foreign keys.
 * Begin with {@link io.gauss.compute.sql.exec.dml.TableWriter} and {@link
 * io.gauss.compute.sql.exec.dml.InsertOperator}.
 */
package io.gauss.compute.sql.exec.dml;
