package io.gauss.compute.node;

/** Remains of a dead compute node besides its transactions. May wait. */
interface Leftovers {
  /**
   * Removes what sessions of a dead node have left, and takes over the parts that are still useful.
   * Called by the recoverer, when all transactions of the node have ended and before its slot is
   * used again.
   */
  void ofSlot(int slot);

  /**
   * The recovery of some node is over: things that it had begun to remove may have to be removed by
   * this node.
   */
  void ofOwn();
}
