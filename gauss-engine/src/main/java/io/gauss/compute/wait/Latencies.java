package io.gauss.compute.wait;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/**
 * Latencies of one kind of operation since the start. A percentile is accurate to a sixteenth;
 * count, total and longest are exact. The histogram's 4 KiB are allocated at the first count, so
 * that there may be many of these. Thread-safe, without locks.
 */
public final class Latencies {
  private static final int DIGITS = 1;

  /** The resolution, so that the buckets' ends are also ends in the histogram. */
  private static final long RESOLUTION_NANOS = 1 << 8;

  private static final int LONGEST_BITS = 40;

  /** Anything above, 18 minutes, counts as this. */
  private static final long LONGEST_NANOS = 1L << LONGEST_BITS;

  /** Buckets, as displayed, grow by a quarter of a power of two. */
  private static final int STEP_BITS = 2;

  private static final int STEPS = 1 << STEP_BITS;

  /**
   * The first bucket ends at 2^10 ns, about a microsecond; the last one also has everything above
   * 2^40.
   */
  private static final int FIRST_BITS = 10;

  private static final int BUCKETS = (LONGEST_BITS - FIRST_BITS) * STEPS + 1;

  private final LongAdder nanos = new LongAdder();
  private final LongAccumulator max = new LongAccumulator(Math::max, 0);
  private volatile AtomicHistogram histogram;

  /** Counts an operation that took this many nanoseconds, 0 or more. */
  public void record(long duration) {
    AtomicHistogram counts = histogram;
    if (counts == null) {
      counts = allocate();
    }
    counts.recordValue(Math.min(duration, LONGEST_NANOS));
    nanos.add(duration);
    if (duration > max.get()) {
      max.accumulate(duration);
    }
  }

  private synchronized AtomicHistogram allocate() {
    if (histogram == null) {
      histogram = new AtomicHistogram(RESOLUTION_NANOS, LONGEST_NANOS, DIGITS);
    }
    return histogram;
  }

  /** End of a bucket in nanoseconds, exclusive but for the last one's. */
  public static long end(int bucket) {
    if (bucket == 0) {
      return 1L << FIRST_BITS;
    }
    int power = FIRST_BITS + (bucket - 1) / STEPS;
    int step = (bucket - 1) % STEPS;
    return (1L << power) + (step + 1L << (power - STEP_BITS));
  }

  public static int buckets() {
    return BUCKETS;
  }

  /** The counts by bucket. */
  public long[] counts() {
    long[] all = new long[BUCKETS];
    Histogram now = snapshot();
    long start = 0;
    for (int i = 0; i < BUCKETS; i++) {
      long last = i == BUCKETS - 1 ? LONGEST_NANOS : end(i) - 1;
      all[i] = now.getCountBetweenValues(start, last);
      start = last + 1;
    }
    return all;
  }

  public long count() {
    AtomicHistogram counts = histogram;
    return counts == null ? 0 : counts.getTotalCount();
  }

  public long totalNanos() {
    return nanos.sum();
  }

  public long maxNanos() {
    return max.get();
  }

  /**
   * A duration that this share of the counted operations did not exceed; 0 when nothing was
   * counted.
   */
  public long percentile(double share) {
    return percentile(snapshot(), share);
  }

  /** The same of some of it. */
  long percentile(Histogram some, double share) {
    return some.getTotalCount() == 0
        ? 0
        : Math.min(some.getValueAtPercentile(share * 100), max.get());
  }

  /** All counts until now. */
  Histogram snapshot() {
    Histogram now = new Histogram(RESOLUTION_NANOS, LONGEST_NANOS, DIGITS);
    AtomicHistogram counts = histogram;
    if (counts != null) {
      now.add(counts);
    }
    return now;
  }
}
