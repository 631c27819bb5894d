package io.gauss.common.health;

/**
 * Lets so many events of an interval through, and counts the others: so that whoever causes events
 * without having logged in cannot fill a log with them, or make other nodes work. Thread-safe.
 */
public final class EventLimit {
  /** {@link #arrives}: the event is one too many. */
  public static final long TOO_MANY = -1;

  private final int most;
  private final long intervalNanos;
  private long start;
  private int passed;
  private long leftOut;

  /**
   * @param most events that pass in an interval
   * @param intervalNanos begins with the first event that passes
   */
  public EventLimit(int most, long intervalNanos) {
    this.most = most;
    this.intervalNanos = intervalNanos;
  }

  /**
   * An event.
   *
   * @param now monotonic time in nanoseconds
   * @return {@link #TOO_MANY}; or, when it passes, how many were left out before it
   */
  public synchronized long arrives(long now) {
    if (passed > 0 && now - start >= intervalNanos) {
      passed = 0;
    }
    if (passed == 0) {
      start = now;
    }
    if (passed == most) {
      leftOut++;
      return TOO_MANY;
    }
    passed++;
    long before = leftOut;
    leftOut = 0;
    return before;
  }
}
