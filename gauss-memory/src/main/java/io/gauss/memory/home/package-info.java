/**
 * A memory node as the home of pages and locks: applies the pure transitions of {@code coherence}
 * and {@code lock} to the directory and the page cache. Each class belongs to one event loop.
 */
package io.gauss.memory.home;
