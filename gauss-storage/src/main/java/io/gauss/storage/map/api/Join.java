package io.gauss.storage.map.api;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A joining node, with the nodes that have not yet confirmed that they send their broadcasts to it.
 *
 * @param epoch of the joining node
 * @param pending live compute nodes that have not acknowledged
 * @param clock highest clock (LSN) in the acknowledgements so far; the node serves only when its
 *     own is at or above it
 */
public record Join(int epoch, int node, SortedSet<Integer> pending, long clock) {
  public Join {
    pending = Collections.unmodifiableSortedSet(new TreeSet<>(pending));
  }
}
