package io.gauss.storage.map.api;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A node that is joining: who has not yet said that it sends its broadcasts to the node too.
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
