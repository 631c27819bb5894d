package io.gauss.compute.engine;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * Latencies of one kind of thing since the start, in buckets that grow by a quarter of a power of
 * two, so that a percentile is right within 20 %. Recording is two adds; a bucket's counter is made
 * when it first counts, so that there may be many of these. Thread-safe.
 */
public final class Latencies {
  private static final int STEP_BITS = 2;
  private static final int STEPS = 1 << STEP_BITS;

  /** The first bucket ends at 2^10 ns, about a microsecond; the last one takes all above 2^40. */
  private static final int FIRST_BITS = 10;

  private static final int BUCKETS = (40 - FIRST_BITS) * STEPS + 1;

  private final AtomicReferenceArray<LongAdder> counts = new AtomicReferenceArray<>(BUCKETS);
  private final LongAdder nanos = new LongAdder();
  private final LongAccumulator max = new LongAccumulator(Math::max, 0);

  /** Counts something that took so many nanoseconds. */
  public void record(long duration) {
    counter(bucket(duration)).increment();
    nanos.add(duration);
    if (duration > max.get()) {
      max.accumulate(duration);
    }
  }

  private LongAdder counter(int bucket) {
    LongAdder counter = counts.get(bucket);
    if (counter == null) {
      counts.compareAndSet(bucket, null, new LongAdder());
      counter = counts.get(bucket);
    }
    return counter;
  }

  private static int bucket(long duration) {
    int bits = 64 - Long.numberOfLeadingZeros(duration);
    if (bits <= FIRST_BITS) {
      return 0;
    }
    int step = (int) (duration >>> (bits - 1 - STEP_BITS)) & (STEPS - 1);
    return Math.min(BUCKETS - 1, 1 + (bits - 1 - FIRST_BITS) * STEPS + step);
  }

  /**
   * End of a bucket in nanoseconds, exclusive; the last one has none and says what it begins at.
   */
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

  public long count(int bucket) {
    LongAdder counter = counts.get(bucket);
    return counter == null ? 0 : counter.sum();
  }

  public long count() {
    long sum = 0;
    for (int i = 0; i < BUCKETS; i++) {
      sum += count(i);
    }
    return sum;
  }

  public long totalNanos() {
    return nanos.sum();
  }

  public long maxNanos() {
    return max.get();
  }

  /** A duration that this share of what was counted did not exceed; 0 when nothing was. */
  public long percentile(double share) {
    return percentile(counts(), share);
  }

  /** The same of some of it, given by bucket. */
  public long percentile(long[] ofBuckets, double share) {
    long all = 0;
    for (long count : ofBuckets) {
      all += count;
    }
    long wanted = (long) Math.ceil(all * share);
    long seen = 0;
    for (int i = 0; i < BUCKETS && wanted > 0; i++) {
      seen += ofBuckets[i];
      if (seen >= wanted) {
        return Math.min(end(i), max.get());
      }
    }
    return all == 0 ? 0 : max.get();
  }

  /** What was counted, by bucket. */
  public long[] counts() {
    long[] all = new long[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      all[i] = count(i);
    }
    return all;
  }
}
