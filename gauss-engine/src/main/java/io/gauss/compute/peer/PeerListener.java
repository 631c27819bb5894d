package io.gauss.compute.peer;

/** Notified about other compute nodes, on any thread. Must not block. */
public interface PeerListener {
  /**
   * A node is gone, or has started over: messages to it may or may not have arrived, and none of
   * its own messages is valid any more.
   */
  void lost(int node);

  /**
   * Another node answers for the slot's undo segments from now on, or no node does, or another life
   * of the slot's node has written them.
   */
  void answersChanged(int slot);
}
