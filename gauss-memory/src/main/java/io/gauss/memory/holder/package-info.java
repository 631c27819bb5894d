/** A compute node's pages: runs {@code HolderTable} over the frames of its buffer pool. */
package io.gauss.memory.holder;
