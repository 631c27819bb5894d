package io.gauss.memory.coherence;

/** An action of a home for a page. Each action is a message to a compute node. */
public sealed interface DirectoryAction {

  /** Slot of the node that receives the message. */
  int to();

  /**
   * The page may be used.
   *
   * @param number of the transfer when it is {@code owned}, of the share otherwise
   * @param fromHome the home's bytes of the page are included; otherwise the node reads a page
   *     store, which must have applied the page through {@code lsn}
   */
  record Grant(int to, boolean owned, long number, boolean fromHome, long lsn)
      implements DirectoryAction {}

  /** To the owner: send a copy to a reader. */
  record Share(int to, int reader, long number) implements DirectoryAction {}

  /** To the owner: give the page to a taker. */
  record Transfer(int to, int taker, long number) implements DirectoryAction {}

  /** To the giver: the taker has the page, forget it. */
  record Confirmed(int to, long number) implements DirectoryAction {}

  /** To a reader that got its copy from the home: drop it, and confirm. */
  record Revoke(int to, long number) implements DirectoryAction {}

  /** To the giver of a transfer that the home knows from a report: probe the taker. */
  record Trace(int to, int taker, long number) implements DirectoryAction {}

  /** To the survivor of a transfer whose other side has died: how far has it come? */
  record Ask(int to, long number) implements DirectoryAction {}
}
