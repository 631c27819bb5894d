package io.gauss.memory.coherence;

import java.util.List;

/**
 * A page's directory entry: the state that its home keeps. Immutable.
 *
 * @param state of the entry
 * @param owner slot of the owner when {@code OWNED}, of the giver when {@code MOVING}; else 0
 * @param taker slot of the node that gets it when {@code MOVING} or {@code REVOKING}; 0 if that
 *     node has died
 * @param number of the newest transfer or share; each gets a higher number, so that messages about
 *     an older one are recognized as out of date (rule 17)
 * @param sharers readers that have copies from the home, when {@code SHARED} or {@code REVOKING}
 * @param lsn of the page when it was last given back or arrived at its owner: a page store must
 *     have applied the page through this LSN before it serves a reader
 * @param hasBytes whether the home has the page as of {@code lsn}
 * @param waiting requests that wait for the operation under way, oldest first
 */
public record DirectoryPage(
    State state,
    int owner,
    int taker,
    long number,
    long sharers,
    long lsn,
    boolean hasBytes,
    List<DirectoryEvent.Want> waiting) {

  /** State of a directory entry, with the names of MESI and MOESI. */
  public enum State {
    /** No node: Invalid at every node. */
    FREE,
    /** No compute node may write it; some may read it: Shared there. */
    SHARED,
    /**
     * A compute node: Modified there, or Owned when there are readers, which only the owner knows.
     */
    OWNED,
    /** It is on its way from its owner to a taker; transient. */
    MOVING,
    /** No node yet: readers must first drop their copies (become Invalid); transient. */
    REVOKING,
    /** As {@code MOVING}; one of the two has died and the other one is being queried; transient. */
    ASKING
  }

  /** A page that no node has requested yet. */
  public static final DirectoryPage UNKNOWN = free(0, 0);

  /** A page that no node has. */
  public static DirectoryPage free(long number, long lsn) {
    return new DirectoryPage(State.FREE, 0, 0, number, Slots.NONE, lsn, false, List.of());
  }

  /** True when nothing is under way, so that everything fits into a directory entry. */
  boolean isSettled() {
    return state == State.FREE || state == State.SHARED || state == State.OWNED;
  }
}
