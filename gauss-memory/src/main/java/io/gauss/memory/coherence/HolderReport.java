package io.gauss.memory.coherence;

/**
 * A compute node's report of a page to a new home. It is also a promise to accept no further order
 * of the old home (rule 16).
 */
public sealed interface HolderReport {

  /** The node owns the page. */
  record Owns(int slot, long number) implements HolderReport {}

  /**
   * The node has sent the page to a taker and does not know whether it arrived.
   *
   * @param taker 0 = its life is over, as the home knows; see {@link DirectoryRebuild#leaving}
   * @param lsn of the page
   */
  record Leaving(int slot, int taker, long number, long lsn) implements HolderReport {}
}
