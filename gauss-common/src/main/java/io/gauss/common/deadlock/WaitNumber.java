package io.gauss.common.deadlock;

/**
 * Identifies any transaction, including one that has written nothing: compute slot (6 bits), a
 * zero, session (29 bits), and which of the session's transactions it is (28 bits). The counters of
 * sessions and transactions wrap around, so a number is reused after hundreds of millions of
 * others; by then no wait refers to it. 0 is no transaction.
 *
 * <p>Or identifies all transactions of a node that conflict with a mode of a lock: slot, a one,
 * number of the lock (32 bits), mode; of an advisory lock slot, two ones, hash of its name (52
 * bits), mode. A waiter for such a lock of another node does not know these transactions. Their
 * node does, and reports that this number waits for them.
 */
public final class WaitNumber {
  private static final int SESSION_SHIFT = 28;
  private static final int SLOT_SHIFT = 58;
  private static final long SESSION_MASK = (1L << SLOT_SHIFT - SESSION_SHIFT - 1) - 1;
  private static final long LOCK = 1L << SLOT_SHIFT - 1;
  private static final long ADVISORY = LOCK >>> 1;
  private static final int MODE_BITS = 4;
  private static final long TRANSACTION_MASK = (1L << SESSION_SHIFT) - 1;

  private WaitNumber() {}

  /**
   * The number of a session's first transaction.
   *
   * @param slot 1 to 63
   */
  public static long first(int slot, long session) {
    return (long) slot << SLOT_SHIFT | (session & SESSION_MASK) << SESSION_SHIFT;
  }

  /** The number of the session's next transaction. */
  public static long next(long number) {
    return number & ~TRANSACTION_MASK | number + 1 & TRANSACTION_MASK;
  }

  /**
   * Stands for the transactions of a node that keep others from getting a mode of a lock.
   *
   * @param lock number of the lock
   * @param mode 0 to 15
   */
  public static long ofLock(int slot, int lock, int mode) {
    return (long) slot << SLOT_SHIFT | LOCK | Integer.toUnsignedLong(lock) << MODE_BITS | mode;
  }

  /**
   * As {@link #ofLock}, for an advisory lock.
   *
   * @param hash of its name; the lower 52 bits count
   * @param mode 0 to 15
   */
  public static long ofAdvisory(int slot, long hash, int mode) {
    return (long) slot << SLOT_SHIFT | LOCK | ADVISORY | hash << MODE_BITS & ADVISORY - 1 | mode;
  }

  /** Whether it was made by {@link #ofAdvisory}. */
  public static boolean isAdvisory(long number) {
    return (number & LOCK) != 0 && (number & ADVISORY) != 0;
  }

  /** Whether it was made by {@link #ofLock} or {@link #ofAdvisory}. */
  public static boolean isLock(long number) {
    return (number & LOCK) != 0;
  }

  /** Slot of the node that it runs on. */
  public static int slot(long number) {
    return (int) (number >>> SLOT_SHIFT);
  }
}
