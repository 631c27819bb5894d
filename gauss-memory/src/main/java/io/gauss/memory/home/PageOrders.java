package io.gauss.memory.home;

import io.gauss.common.error.SqlState;
import io.gauss.memory.bucket.ReadFloor;
import io.gauss.memory.coherence.DirectoryAction;

/**
 * Where a home's orders to compute nodes go: to each, once and in the order given. Called on the
 * event loop of the page's bucket, after the page's entry has changed (rule 3).
 */
public interface PageOrders {
  /**
   * Sends an order.
   *
   * @param bytes address of the page's bytes, which are to be copied before this returns; 0 = none
   *     belong to it
   * @param floor what a page store must have applied for this page, when the order's LSN does not
   *     tell; null = it does, or no page store is asked
   */
  void order(long page, DirectoryAction action, long bytes, ReadFloor floor);

  /** The node's request cannot be served: its statement gets this error. */
  void refuse(long page, int slot, SqlState state, String message);
}
