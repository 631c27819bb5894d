package io.gauss.memory.coherence;

import java.util.List;

/**
 * A page in the directory: what its home knows of it. Immutable.
 *
 * @param state who has it
 * @param owner slot of the owner when {@code OWNED}, of the giver when {@code MOVING}; else 0
 * @param taker slot of who gets it when {@code MOVING} or {@code REVOKING}; 0 if that one has died
 * @param number of the newest transfer or share; every one gets a higher one, so that what is said
 *     of an older one is known to be out of date (rule 17)
 * @param sharers readers that have copies from the home, when {@code SHARED} or {@code REVOKING}
 * @param lsn of the page when it was last given back: a page store must have applied it through
 *     this for a reader
 * @param hasBytes whether the home has the page as of {@code lsn}
 * @param waiting requests that wait for what is under way, oldest first
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

  /** Who has a page: the state of its directory entry, with the names of MESI and MOESI. */
  public enum State {
    /** Nobody: Invalid at every node. */
    FREE,
    /** No compute node may write it; some may read it: Shared there. */
    SHARED,
    /** A compute node: Modified there, or Owned when it has readers, which only it knows. */
    OWNED,
    /** It is on its way from its owner to a taker; transient. */
    MOVING,
    /** Nobody yet: readers are told to drop their copies (to become Invalid) first; transient. */
    REVOKING,
    /** As {@code MOVING}; one of the two has died and the other one is being asked; transient. */
    ASKING
  }

  /** A page that nobody has asked for yet. */
  public static final DirectoryPage UNKNOWN = free(0, 0);

  /** A page that nobody has. */
  public static DirectoryPage free(long number, long lsn) {
    return new DirectoryPage(State.FREE, 0, 0, number, Slots.NONE, lsn, false, List.of());
  }

  /** True when nothing is under way, so that everything fits into a directory entry. */
  boolean isSettled() {
    return state == State.FREE || state == State.SHARED || state == State.OWNED;
  }
}
