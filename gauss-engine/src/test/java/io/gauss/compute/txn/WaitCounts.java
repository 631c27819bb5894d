package io.gauss.compute.txn;

/** How many wait, for tests that look at several nodes. */
public final class WaitCounts {
  private WaitCounts() {}

  /**
   * Waits that are in a queue: the sum of this over all nodes counts a wait for another node's
   * transaction when it has reached that node. Turns that are over on one side only may count for a
   * moment.
   */
  public static int queued(Transactions transactions) {
    TransactionLinks links = transactions.links();
    return transactions.waiting() - links.remoteWaits().size() + links.rowWaits().size();
  }
}
