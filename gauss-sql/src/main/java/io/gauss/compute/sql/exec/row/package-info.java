/**
 * Rows in the executor's own forms: keys for joins and sorts, bytes for spilling, copies. Begin
 * with {@link io.gauss.compute.sql.exec.row.Rows} and {@link
 * io.gauss.compute.sql.exec.row.KeyWriter}.
 */
package io.gauss.compute.sql.exec.row;
