package io.gauss.memory.directory;

import io.gauss.memory.coherence.DirectoryPage.State;

/**
 * Layout of an entry of the page directory. The same bytes are used in Chronicle Map and on the
 * wire when a bucket moves. Integers are little-endian.
 *
 * <pre>
 *  0  1  layout version, 2
 *  1  1  state: 0 free, 1 shared, 2 owned, 3 moving, 4 revoking, 5 asking
 *  2  1  slot of the owner or giver, else 0
 *  3  1  slot of the taker, else 0
 *  4  1  flags: 1 = the page's bytes are here
 *  5  3  zero
 *  8  8  number of the newest transfer or share
 * 16  8  sharers: bit n is the compute node in slot n, 1 to 63
 * 24  8  LSN of the page when it was last given back or confirmed; its stream is the LSN's node
 * </pre>
 *
 * Waiting requests are not part of an entry: they are few, and are kept on the heap.
 */
public final class DirectoryEntryLayout {
  public static final int VERSION_OFFSET = 0;
  public static final int STATE = VERSION_OFFSET + 1;
  public static final int OWNER = STATE + 1;
  public static final int TAKER = OWNER + 1;
  public static final int FLAGS = TAKER + 1;
  public static final int RESERVED_3 = FLAGS + 1;
  public static final int NUMBER = RESERVED_3 + 3;
  public static final int SHARERS = NUMBER + 8;
  public static final int LSN = SHARERS + 8;
  public static final int BYTES = LSN + 8;

  /** Version of the entries that this code writes. */
  public static final int CURRENT_VERSION = 2;

  public static final int HAS_BYTES = 1;

  private static final State[] STATES = {
    State.FREE, State.SHARED, State.OWNED, State.MOVING, State.REVOKING, State.ASKING
  };

  private DirectoryEntryLayout() {}

  static int id(State state) {
    return switch (state) {
      case FREE -> 0;
      case SHARED -> 1;
      case OWNED -> 2;
      case MOVING -> 3;
      case REVOKING -> 4;
      case ASKING -> 5;
    };
  }

  /**
   * The state of this number.
   *
   * @throws IllegalArgumentException when there is none
   */
  static State state(int id) {
    if (id < 0 || id >= STATES.length) {
      throw new IllegalArgumentException("state " + id + " of a directory entry");
    }
    return STATES[id];
  }
}
