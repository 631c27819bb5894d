package io.gauss.compute.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Percentiles of the last one to two minutes in which somebody looked: what was counted since a
 * look that long ago. Thread-safe.
 */
public final class RecentLatency {
  private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Latencies latency;
  private final LongSupplier nanoClock;
  private long[] older = new long[Latencies.buckets()];
  private long[] newer = new long[Latencies.buckets()];
  private long turnedNanos;

  public RecentLatency(Latencies latency, LongSupplier nanoClock) {
    this.latency = latency;
    this.nanoClock = nanoClock;
    this.turnedNanos = nanoClock.getAsLong();
  }

  /** In nanoseconds; 0 when nothing was counted. */
  public synchronized long percentile(double share) {
    long[] counts = latency.counts();
    long now = nanoClock.getAsLong();
    if (now - turnedNanos >= PERIOD_NANOS) {
      older = newer;
      newer = counts.clone();
      turnedNanos = now;
    }
    for (int i = 0; i < counts.length; i++) {
      counts[i] -= older[i];
    }
    return latency.percentile(counts, share);
  }
}
