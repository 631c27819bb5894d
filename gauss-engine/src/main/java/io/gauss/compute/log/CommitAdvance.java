package io.gauss.compute.log;

/**
 * The other nodes that must know of a commit before it is confirmed to any client (law 8: visible
 * means durable and advanced). The log reports to it which records are being forced, so that the
 * others are notified meanwhile, and asks it how far they are.
 *
 * <p>Thread-safe; nothing waits.
 */
public interface CommitAdvance {
  /** The result of {@link #through} while there is no node to wait for. */
  long EVERYTHING = Long.MAX_VALUE;

  /**
   * Records up to this LSN are on their way to the disk, and a thread waits for them. Must be
   * quick: it is called for every group of commits.
   */
  void sending(long lsn);

  /**
   * No live node can take a snapshot below this LSN any more. The result does not cover LSNs that
   * were not reserved yet at the time of the call: the nodes to wait for are looked up now (rule 5:
   * after the CSN).
   */
  long through();
}
