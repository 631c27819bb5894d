package io.gauss.compute.mtr;

/**
 * What somebody else adds to a mini-transaction, so that it is in the log with it or not at all.
 */
@FunctionalInterface
public interface MtrPart {
  /**
   * Adds records; latches what it needs, which is pinned and after all other latches in their
   * order.
   *
   * @throws io.gauss.compute.buffer.PageAwayException when another node has got the right to one
   */
  void append(Mtr mtr);
}
