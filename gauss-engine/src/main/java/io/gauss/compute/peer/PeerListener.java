package io.gauss.compute.peer;

/** Told about other compute nodes, on any thread. Must not block. */
public interface PeerListener {
  /**
   * A node is gone, or has started over: what was sent to it may or may not have arrived, and
   * nothing that it said holds any more.
   */
  void lost(int node);

  /** Another node answers for the slot's undo segments from now on, or nobody does. */
  void answersChanged(int slot);
}
