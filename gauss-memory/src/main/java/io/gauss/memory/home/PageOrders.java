package io.gauss.memory.home;

import io.gauss.common.error.SqlState;
import io.gauss.memory.bucket.ReadFloor;
import io.gauss.memory.coherence.DirectoryAction;

/**
 * Sends a home's orders to compute nodes: to each, once and in the order given. Called on the event
 * loop of the page's bucket, after the page's entry has changed (rule 3).
 */
public interface PageOrders {
  /**
   * Sends an order.
   *
   * @param bytes address of the page's bytes, which must be copied before this returns; 0 = none
   *     are included
   * @param floor offsets that a page store must have applied for this page, if the order's LSN is
   *     not sufficient; null = it is, or no page store is read
   */
  void order(long page, DirectoryAction action, long bytes, ReadFloor floor);

  /** Refuses the node's request: its statement gets this error. */
  void refuse(long page, int slot, SqlState state, String message);
}
