package io.gauss.compute.mtr;

/**
 * Records that another component adds to a mini-transaction, so that they reach the log with it or
 * not at all.
 */
@FunctionalInterface
public interface MtrPart {
  /**
   * Adds records; latches the pages it needs, which are pinned and come after all other latches in
   * latch order.
   *
   * @throws io.gauss.compute.buffer.PageAwayException when another node has taken the right to one
   */
  void append(Mtr mtr);
}
