package io.gauss.memory.coherence;

/** What happens to a page at a compute node. */
public sealed interface HolderEvent {

  // ---- local

  /** A thread wants to use the page and may not. */
  record Need(Mode mode) implements HolderEvent {}

  /**
   * A thread that may write the page wants it to stay for a turn, until it has others as well.
   * Where the page may not be written it is a need.
   */
  record Retain() implements HolderEvent {}

  /** Threads that waited for the page have had their turn: others may get it. */
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

  /** What was asked for cannot be had. */
  record Denied() implements HolderEvent {}

  /**
   * The owner is to send a copy to a reader. Not handed in when that reader's death is installed
   * here: nobody would ever say that the copy is dropped.
   */
  record Share(int reader, long number) implements HolderEvent {}

  /**
   * The owner is to give the page to a taker. Not handed in when that taker's death is installed
   * here: the home will ask.
   */
  record Transfer(int taker, long number) implements HolderEvent {}

  /** The taker has what this node gave. */
  record Confirmed(long number) implements HolderEvent {}

  /** How far has a transfer come, whose other side has died? */
  record Asked(long number) implements HolderEvent {}

  /** A new home wants to know what has become of a transfer: the giver is to probe the taker. */
  record Traced(long number) implements HolderEvent {}

  // ---- from compute nodes, and for revocations also from the home

  /** A copy of the page has come, from its owner. */
  record Copy(int owner, long number) implements HolderEvent {}

  /** The giver wants the home to be told what has become of its transfer. */
  record Probed(long number) implements HolderEvent {}

  /** The page has come, for good. */
  record Given(int giver, long number) implements HolderEvent {}

  /**
   * Copies at or below the number are to be dropped.
   *
   * @param from slot of the owner, {@link HolderPage#HOME} for the home
   */
  record Revoke(int from, long number) implements HolderEvent {}

  /** A reader has dropped the copies at or below the number that it had from this node. */
  record Revoked(int reader, long number) implements HolderEvent {}

  // ---- members

  /** Another node is dead, and from now on nothing that it sent is taken (rule 10). */
  record Died(int slot) implements HolderEvent {}

  /**
   * The page has a new home, which asks what this node has. From now on nothing is taken that the
   * old one sent (rule 16).
   */
  record HomeLost() implements HolderEvent {}

  /**
   * The home may not know what this node has asked for: it is new, and has learnt what all nodes
   * have; or it had forwarded requests to a node that was dead.
   */
  record AskAgain() implements HolderEvent {}
}
