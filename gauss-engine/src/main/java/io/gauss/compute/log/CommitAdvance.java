package io.gauss.compute.log;

/**
 * The other nodes that must have heard of a commit before anybody is told of it (law 8: visible
 * means durable and advanced). The log tells it what is being forced, so that the others hear of it
 * meanwhile, and asks it how far they are.
 *
 * <p>Thread-safe; nothing waits.
 */
public interface CommitAdvance {
  /** What {@link #through} answers while there is nobody to wait for. */
  long EVERYTHING = Long.MAX_VALUE;

  /**
   * Records up to this LSN are on their way to the disk, and somebody waits for them. Quick: this
   * is on the way of every group of commits.
   */
  void sending(long lsn);

  /**
   * No live node can take a snapshot below this LSN any more. What was not reserved yet when this
   * is asked does not count: the nodes to wait for are looked up now (rule 5: after the CSN).
   */
  long through();
}
