/**
 * Entries of pages, off-heap: who holds a page and what is known of it. Nothing outside of this
 * package knows Chronicle Map.
 */
package io.gauss.memory.directory;
