package io.gauss.memory.coherence;

import java.util.List;

/**
 * How a compute node holds a page. Immutable.
 *
 * @param right of the node
 * @param number of the transfer by which it got the page when {@code OWNED}, or gave it when {@code
 *     LEAVING}; of the share when {@code SHARED}
 * @param from giver of the copy when {@code SHARED}: a slot or {@link #HOME}
 * @param sharers readers that have copies from this node, when {@code OWNED}
 * @param shareNumber of the newest of these copies
 * @param goal operation under way with the page, when {@code OWNED}
 * @param taker node that is to get it or, when {@code LEAVING}, to which it was sent; 0 = none
 * @param takeNumber of that transfer
 * @param reads that were forwarded here and have to wait, oldest first
 * @param want mode that was requested and has not arrived, or will be requested once the page is
 *     given; null = none
 */
public record HolderPage(
    Right right,
    long number,
    int from,
    long sharers,
    long shareNumber,
    Goal goal,
    int taker,
    long takeNumber,
    List<Read> reads,
    Mode want) {

  /** Stands for the home where a slot is expected. */
  public static final int HOME = 0;

  /** A node's right to its frame of a page, with the states' names in MESI and MOESI. */
  public enum Right {
    /** Nothing; there is no frame. Invalid. */
    NONE,
    /** Read. Shared. */
    SHARED,
    /**
     * Read, and write if {@link HolderPage#mayWrite}. Modified without readers elsewhere (Exclusive
     * is not told apart: whether the page was written makes no difference here); Owned, as in
     * MOESI, with readers.
     */
    OWNED,
    /**
     * Nothing; the bytes are retained until the taker is known to have them (rule 16). A transient
     * state on the way from Modified to Invalid.
     */
    LEAVING
  }

  /** Operation under way with an owned page. */
  public enum Goal {
    /** Nothing. */
    KEEP,
    /** The threads that waited for it have their turn: other nodes get it afterwards. */
    TURN,
    /** Readers drop their copies, then threads here have their turn to write. */
    WRITE,
    /** Readers drop their copies, the log is forced, then the taker gets it. */
    GIVE,
    /** Readers drop their copies, the log is forced, then the home gets it. */
    RELEASE
  }

  /** A read that was forwarded to the owner. */
  public record Read(int reader, long number) {}

  /** A page that this node does not have. */
  public static final HolderPage ABSENT =
      new HolderPage(Right.NONE, 0, 0, Slots.NONE, 0, Goal.KEEP, 0, 0, List.of(), null);

  /** A copy, and nothing else. */
  public static HolderPage shared(long number, int from) {
    return new HolderPage(
        Right.SHARED, number, from, Slots.NONE, 0, Goal.KEEP, 0, 0, List.of(), null);
  }

  /** A page that this node owns, and nothing else. */
  public static HolderPage owned(long number) {
    return new HolderPage(Right.OWNED, number, 0, Slots.NONE, 0, Goal.KEEP, 0, 0, List.of(), null);
  }

  public boolean mayRead() {
    return right == Right.SHARED || right == Right.OWNED;
  }

  public boolean mayWrite() {
    return right == Right.OWNED
        && sharers == Slots.NONE
        && (goal == Goal.KEEP || goal == Goal.TURN);
  }

  /** True when the right and the number are the whole state. */
  public boolean isSettled() {
    return sharers == Slots.NONE
        && goal == Goal.KEEP
        && taker == 0
        && reads.isEmpty()
        && want == null;
  }
}
