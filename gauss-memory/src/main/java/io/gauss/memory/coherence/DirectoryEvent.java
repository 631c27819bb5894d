package io.gauss.memory.coherence;

/** An event of a page at its home. Numbers are those of {@link DirectoryPage}. */
public sealed interface DirectoryEvent {

  /**
   * A compute node requests the page. A repeated request is harmless: the node repeats it after a
   * death or the loss of a home.
   */
  record Want(int slot, Mode mode) implements DirectoryEvent {}

  /** An owner refuses a read that was forwarded to it, because the page has left it meanwhile. */
  record Refused(int slot) implements DirectoryEvent {}

  /**
   * The taker of a transfer has the page.
   *
   * @param lsn of the page as it arrived; 0 = the home knows it, or has asked late. The last change
   *     may be another node's: if the taker dies, the end of its own stream does not include it
   *     (rule 17)
   */
  record Confirm(int taker, long number, long lsn) implements DirectoryEvent {}

  /**
   * An owner has given the page back. Its log is durable through the page's LSN.
   *
   * @param number of the transfer by which it got the page
   * @param lsn of the page
   * @param hasBytes whether the page's bytes are included
   */
  record Release(int owner, long number, long lsn, boolean hasBytes) implements DirectoryEvent {}

  /** A node has dropped all copies that it got from this home at or below the number. */
  record Revoked(int slot, long number) implements DirectoryEvent {}

  /**
   * A compute node is dead: all live nodes have installed its death, its stream is sealed, and
   * pages read from page stores from now on contain all of that stream (rules 10 to 13). The home
   * then has all nodes repeat their pending requests, since it had forwarded some to the dead node.
   */
  record Died(int slot) implements DirectoryEvent {}

  /** Answer to {@link DirectoryAction.Ask} from a giver that still has the page and keeps it. */
  record Kept(int slot, long number) implements DirectoryEvent {}

  /** Answer from a giver that has sent the page and has now forgotten it. */
  record Left(int slot, long number, long lsn) implements DirectoryEvent {}

  /**
   * Answer from a taker that does not have the page. Either it had the page and gave it back, which
   * an earlier home knew, or the giver has died and its messages are no longer accepted.
   */
  record NotTaken(int slot, long number) implements DirectoryEvent {}

  /**
   * A node that joined while the home waited for the others' reports has reported: from now on it
   * knows the home. Before, its answer to a giver's probe went nowhere, so it is probed again.
   */
  record ReportedLate(int slot) implements DirectoryEvent {}

  /** The home needs the memory of its copy of the page. */
  record DropBytes() implements DirectoryEvent {}
}
