/**
 * The buffer pool: frames in one slab, found by page id, reached through guards. In a cluster with
 * memory nodes a page comes with the right to read or write it. Begin with {@link
 * io.gauss.compute.buffer.BufferPool}, {@link io.gauss.compute.buffer.PageGuard} and {@link
 * io.gauss.compute.buffer.PageTransfers}.
 */
package io.gauss.compute.buffer;
