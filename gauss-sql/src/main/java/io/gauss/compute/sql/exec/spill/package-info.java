/**
 * Rows that may not fit into memory: a statement's budget, and hash tables, sorts and spools that
 * spill to disk above it. Begin with {@link io.gauss.compute.sql.exec.spill.WorkMemory}, {@link
 * io.gauss.compute.sql.exec.spill.RecordSorter} and {@link
 * io.gauss.compute.sql.exec.spill.KeyedTable}.
 */
package io.gauss.compute.sql.exec.spill;
