/** The directory entries of pages, off-heap. Only this package uses Chronicle Map. */
package io.gauss.memory.directory;
