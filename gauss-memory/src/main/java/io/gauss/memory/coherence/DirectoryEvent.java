package io.gauss.memory.coherence;

/** What happens to a page at its home. Numbers are those of {@link DirectoryPage}. */
public sealed interface DirectoryEvent {

  /**
   * A compute node asks for the page. Asking twice is harmless: after a death or the loss of a home
   * it asks again.
   */
  record Want(int slot, Mode mode) implements DirectoryEvent {}

  /** An owner gives up a read that was forwarded to it: the page has left it meanwhile. */
  record Refused(int slot) implements DirectoryEvent {}

  /** The taker of a transfer has the page. */
  record Confirm(int taker, long number) implements DirectoryEvent {}

  /**
   * An owner has given the page back. Its log is durable through the page's LSN.
   *
   * @param number under which it had got the page
   * @param lsn of the page
   * @param hasBytes whether the page came with it
   */
  record Release(int owner, long number, long lsn, boolean hasBytes) implements DirectoryEvent {}

  /** A node has no copy any more that it got from this home at or below the number. */
  record Revoked(int slot, long number) implements DirectoryEvent {}

  /**
   * A compute node is dead: all live nodes have installed that, its stream is sealed, and what page
   * stores give from now on contains all of it (rules 10 to 13). The home then has all nodes ask
   * again for what they wait for, since it had forwarded requests to the dead one.
   */
  record Died(int slot) implements DirectoryEvent {}

  /** Answer to {@link DirectoryAction.Ask} of a giver that still has the page, and keeps it. */
  record Kept(int slot, long number) implements DirectoryEvent {}

  /** Answer of a giver that has sent the page, and has now forgotten it. */
  record Left(int slot, long number, long lsn) implements DirectoryEvent {}

  /**
   * Answer of a taker that does not have the page. It has had it and given it back, which an
   * earlier home knew, or the giver has died and nothing of it is taken any more.
   */
  record NotTaken(int slot, long number) implements DirectoryEvent {}

  /** The home needs the room of its copy of the page. */
  record DropBytes() implements DirectoryEvent {}
}
