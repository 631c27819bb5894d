/**
 * Rows: batches of typed columns between operators, and the bytes of rows and index keys. Begin
 * with {@link io.gauss.compute.row.RowBatch}, {@link io.gauss.compute.row.RowCodec} and {@link
 * io.gauss.compute.row.KeyCodec}.
 */
package io.gauss.compute.row;
