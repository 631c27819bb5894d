package io.gauss.memory.coherence;

/** An action of a compute node for a page. */
public sealed interface HolderAction {

  /**
   * A message to the page's home.
   *
   * <p>Its clock is read after the state has changed (rule 3).
   */
  record Tell(DirectoryEvent what) implements HolderAction {}

  /**
   * The page's bytes to another node.
   *
   * @param owned for good; otherwise a copy
   */
  record Send(int to, boolean owned, long number) implements HolderAction {}

  /** To a reader: drop your copy. */
  record Revoke(int reader, long number) implements HolderAction {}

  /** To an owner: the copy that it gave has been dropped. */
  record Revoked(int owner, long number) implements HolderAction {}

  /** To a taker, sent after the page: report to the home what has become of it. */
  record Probe(int taker, long number) implements HolderAction {}

  /**
   * Wait until the log is durable through the page's LSN, then raise {@link HolderEvent.Durable}.
   */
  record AwaitDurable() implements HolderAction {}

  /** Reports this node's holding of the page to a home that does not know it. */
  record Report(HolderReport what) implements HolderAction {}
}
