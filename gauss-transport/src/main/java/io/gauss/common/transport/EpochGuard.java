package io.gauss.common.transport;

import io.gauss.common.error.SqlState;

/**
 * Knows which epochs are dead (law 7, clocks travel). Called on event loops for every message, so
 * it must be fast and must not block. Thread-safe.
 */
@FunctionalInterface
public interface EpochGuard {
  /**
   * The state with which a process is refused when the other side knows that the process's own
   * epoch is dead. That holds on all nodes and for ever.
   */
  SqlState DEAD = SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE;

  /** Accepts everything: for a process that knows of no deaths. */
  EpochGuard NONE = (node, epoch) -> true;

  /** False when this epoch of the node is dead: its messages are dropped unread. */
  boolean alive(int node, int epoch);
}
