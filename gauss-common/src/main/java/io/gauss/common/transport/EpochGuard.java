package io.gauss.common.transport;

/**
 * Knows which epochs are dead (law 7). Asked on event loops for every message, so it must be quick,
 * must not block, and is thread-safe.
 */
@FunctionalInterface
public interface EpochGuard {
  /** Lets everything in: for a process that knows of no deaths. */
  EpochGuard NONE = (node, epoch) -> true;

  /** False when this epoch of the node is dead: what it sends is dropped unread. */
  boolean alive(int node, int epoch);
}
