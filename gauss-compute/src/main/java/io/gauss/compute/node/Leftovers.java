package io.gauss.compute.node;

/** What a compute node that died has left beside its transactions. May wait. */
interface Leftovers {
  /**
   * Removes what sessions of a dead node have left, and takes over what is of use. Called by who
   * recovers it, when all its transactions have ended and before its slot is used again.
   */
  void ofSlot(int slot);

  /**
   * The recovery of some node is over: what it had begun to remove may be this node's to remove.
   */
  void ofOwn();
}
