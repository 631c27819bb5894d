package io.gauss.common.transport;

import io.gauss.common.error.SqlState;

/**
 * Knows which epochs are dead (law 7, clocks travel). Asked on event loops for every message, so it
 * must be quick, must not block, and is thread-safe.
 */
@FunctionalInterface
public interface EpochGuard {
  /**
   * With which a process is refused whose own epoch is dead, as the other side knows. So it is
   * everywhere and for ever.
   */
  SqlState DEAD = SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE;

  /** Lets everything in: for a process that knows of no deaths. */
  EpochGuard NONE = (node, epoch) -> true;

  /** False when this epoch of the node is dead: what it sends is dropped unread. */
  boolean alive(int node, int epoch);
}
