package io.gauss.memory.coherence;

/** An event of a page at a compute node. */
public sealed interface HolderEvent {

  // ---- local

  /** A thread needs the page, and the node's right does not allow it. */
  record Need(Mode mode) implements HolderEvent {}

  /**
   * A thread that may write the page wants it to stay for a turn, until it has other pages as well.
   * If the page may not be written, this is a {@link Need}.
   */
  record Retain() implements HolderEvent {}

  /** Threads that waited for the page have had their turn: other nodes may get it. */
  record TurnOver() implements HolderEvent {}

  /** The page's frame is wanted for another page. */
  record Evict() implements HolderEvent {}

  /** The log is durable through the page's LSN, which has not changed since it was asked for. */
  record Durable() implements HolderEvent {}

  // ---- from the home

  /**
   * @see DirectoryAction.Grant
   */
  record Granted(boolean owned, long number) implements HolderEvent {}

  /** The request cannot be granted. */
  record Denied() implements HolderEvent {}

  /**
   * The owner is to send a copy to a reader. Not raised when that reader's death is installed here,
   * because the dead reader would never confirm that it dropped the copy.
   */
  record Share(int reader, long number) implements HolderEvent {}

  /**
   * The owner is to give the page to a taker. Not raised when that taker's death is installed here:
   * the home will ask.
   */
  record Transfer(int taker, long number) implements HolderEvent {}

  /** The taker has what this node gave. */
  record Confirmed(long number) implements HolderEvent {}

  /** The home asks how far a transfer has come whose other side has died. */
  record Asked(long number) implements HolderEvent {}

  /**
   * A new home has to learn the outcome of a transfer that this node has reported: it must probe
   * the taker. Not raised when that taker's death is installed here: the home will ask.
   */
  record Traced(int taker, long number) implements HolderEvent {}

  // ---- from compute nodes, and for revocations also from the home

  /** A copy of the page has arrived from its owner. */
  record Copy(int owner, long number) implements HolderEvent {}

  /** The giver asks this node to report the outcome of its transfer to the home. */
  record Probed(long number) implements HolderEvent {}

  /** The page has arrived, with ownership. */
  record Given(int giver, long number) implements HolderEvent {}

  /**
   * The page has arrived, but its bytes cannot be used: their checksum is wrong, or a later release
   * wrote them. The session counts the message as delivered, so nobody sends it again.
   *
   * @param owned the page came with ownership; otherwise it is a copy
   * @param from slot of the sender, {@link HolderPage#HOME} for the home
   * @param lsn of the page; page stores have it, or will (law 3, log before leave)
   */
  record Spoiled(boolean owned, int from, long number, long lsn) implements HolderEvent {}

  /**
   * Copies at or below the number are to be dropped.
   *
   * @param from slot of the owner, {@link HolderPage#HOME} for the home
   */
  record Revoke(int from, long number) implements HolderEvent {}

  /** A reader has dropped the copies at or below the number that it had from this node. */
  record Revoked(int reader, long number) implements HolderEvent {}

  // ---- members

  /** Another node is dead; from now on nothing that it sent is accepted (rule 10). */
  record Died(int slot) implements HolderEvent {}

  /**
   * The page has a new home, which asks what this node has. From now on nothing that the old home
   * sent is accepted (rule 16).
   */
  record HomeLost() implements HolderEvent {}

  /**
   * The home may not know this node's requests: either it is new and has only the nodes' reports,
   * or it had forwarded requests to a node that was dead.
   */
  record AskAgain() implements HolderEvent {}
}
