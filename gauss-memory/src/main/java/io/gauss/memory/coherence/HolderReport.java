package io.gauss.memory.coherence;

/**
 * What a compute node tells a new home of a page: a promise to take nothing more that the old home
 * ordered (rule 16).
 */
public sealed interface HolderReport {

  /** The page is its own. */
  record Owns(int slot, long number) implements HolderReport {}

  /**
   * It has sent the page to a taker and does not know whether it got there.
   *
   * @param lsn of the page
   */
  record Leaving(int slot, int taker, long number, long lsn) implements HolderReport {}
}
