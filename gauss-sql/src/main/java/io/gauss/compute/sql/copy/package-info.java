/**
 * The file formats of COPY: text, csv and binary, in both directions, byte by byte as PostgreSQL
 * reads and writes them. This package does not know tables or the wire: bytes come from a {@link
 * io.gauss.compute.sql.copy.CopyInput}, rows go into a {@link io.gauss.compute.row.RowBatch}.
 */
package io.gauss.compute.sql.copy;
