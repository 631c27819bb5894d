package io.gauss.storage.apply;

import java.util.function.LongSupplier;

/**
 * How long the oldest durable record of a stream has been waiting to be applied to pages, by
 * monotonic time.
 *
 * <p>Marks record when the stream's durable end moved, at most one a millisecond: a mark's time is
 * that of the first byte that it covers. So the reported lag is never too short, and too long by
 * less than a millisecond. When pages are so far behind that there is no room for more marks, pairs
 * of marks are merged and later marks are as coarse; the error is then at most a 100th of the
 * longest lag. Thread-safe; neither side waits for more than the other's few instructions.
 */
public final class ApplyLag {
  private static final int MARKS = 1024;
  private static final long FINEST_NANOS = 1_000_000;

  private final LongSupplier clock;

  // Mark i is at (first + i) modulo MARKS.
  private final long[] ends = new long[MARKS];
  private final long[] times = new long[MARKS];
  private int first;
  private int count;
  private long grainNanos = FINEST_NANOS;
  private long durable;
  private long applied;

  /**
   * @param start offset up to which everything is applied already
   * @param clock nanoseconds, monotonic
   */
  public ApplyLag(long start, LongSupplier clock) {
    this.clock = clock;
    this.durable = start;
    this.applied = start;
  }

  /** The stream has become durable up to an offset. */
  public synchronized void durable(long end) {
    if (end <= durable) {
      return;
    }
    durable = end;
    if (end <= applied) {
      return;
    }
    long now = clock.getAsLong();
    if (count > 0 && now - times[at(count - 1)] < grainNanos) {
      ends[at(count - 1)] = end;
      return;
    }
    if (count == MARKS) {
      joinPairs();
    }
    ends[at(count)] = end;
    times[at(count)] = now;
    count++;
  }

  private int at(int mark) {
    return (first + mark) % MARKS;
  }

  private void joinPairs() {
    for (int i = 0; i < MARKS / 2; i++) {
      times[at(i)] = times[at(2 * i)];
      ends[at(i)] = ends[at(2 * i + 1)];
    }
    count = MARKS / 2;
    grainNanos *= 2;
  }

  /** The pages have everything before an offset. */
  public synchronized void applied(long offset) {
    applied = Math.max(applied, offset);
    while (count > 0 && ends[first] <= applied) {
      first = at(1);
      count--;
    }
    while (grainNanos > FINEST_NANOS && count < MARKS / 4) {
      grainNanos /= 2;
    }
  }

  /**
   * For how many nanoseconds the oldest unapplied record has been durable; 0 when all are applied.
   */
  public synchronized long nanos() {
    return count == 0 ? 0 : clock.getAsLong() - times[first];
  }
}
