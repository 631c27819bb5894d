/**
 * What a memory node does as the home of pages and locks: the pure transitions of {@code coherence}
 * and {@code lock} over the directory and the page cache. Each class belongs to one event loop.
 */
package io.gauss.memory.home;
