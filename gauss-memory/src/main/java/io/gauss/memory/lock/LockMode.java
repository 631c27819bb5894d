package io.gauss.memory.lock;

/**
 * PostgreSQL's modes of locks on tables, from weak to strong; other objects and advisory locks use
 * some of them. The numbers are PostgreSQL's and part of the formats of messages.
 */
public enum LockMode {
  /** Reading rows. */
  ACCESS_SHARE(1, 0b1_0000_0000),
  /** SELECT FOR UPDATE. */
  ROW_SHARE(2, 0b1_1000_0000),
  /** Writing rows. */
  ROW_EXCLUSIVE(3, 0b1_1110_0000),
  /** VACUUM, ANALYZE. */
  SHARE_UPDATE_EXCLUSIVE(4, 0b1_1111_0000),
  /** Readers but no writers: building an index. Advisory: shared. */
  SHARE(5, 0b1_1101_1000),
  SHARE_ROW_EXCLUSIVE(6, 0b1_1111_1000),
  /** Readers of rows only. Advisory: exclusive. */
  EXCLUSIVE(7, 0b1_1111_1100),
  /** No other user: changing or dropping the table. */
  ACCESS_EXCLUSIVE(8, 0b1_1111_1110);

  private static final LockMode[] ALL = values();

  private final int id;
  private final int conflicts;

  LockMode(int id, int conflicts) {
    this.id = id;
    this.conflicts = conflicts;
  }

  public int id() {
    return id;
  }

  /** PostgreSQL's name, such as {@code ShareRowExclusiveLock}. */
  public String title() {
    return switch (this) {
      case ACCESS_SHARE -> "AccessShareLock";
      case ROW_SHARE -> "RowShareLock";
      case ROW_EXCLUSIVE -> "RowExclusiveLock";
      case SHARE_UPDATE_EXCLUSIVE -> "ShareUpdateExclusiveLock";
      case SHARE -> "ShareLock";
      case SHARE_ROW_EXCLUSIVE -> "ShareRowExclusiveLock";
      case EXCLUSIVE -> "ExclusiveLock";
      case ACCESS_EXCLUSIVE -> "AccessExclusiveLock";
    };
  }

  /** This mode in a set of modes. */
  public int bit() {
    return 1 << id;
  }

  boolean conflictsWith(LockMode other) {
    return (conflicts & other.bit()) != 0;
  }

  /**
   * Whether its holder may have changed something, which must be rolled back when its node dies.
   * Locks for reading guard nothing once their node is gone.
   */
  boolean outlivesItsNode() {
    return this != ACCESS_SHARE && this != ROW_SHARE;
  }

  /**
   * The mode of this number.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static LockMode of(int id) {
    if (id < 1 || id > ALL.length) {
      throw new IllegalArgumentException("lock mode " + id);
    }
    return ALL[id - 1];
  }
}
