package io.gauss.compute.wait;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Percentiles of the operations of the last one to two minutes, if called regularly: of those
 * counted since a call that long ago. Thread-safe.
 */
public final class RecentLatency {
  private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Latencies latency;
  private final LongSupplier nanoClock;
  private Histogram older;
  private Histogram newer;
  private long turnedNanos;

  public RecentLatency(Latencies latency, LongSupplier nanoClock) {
    this.latency = latency;
    this.nanoClock = nanoClock;
    this.turnedNanos = nanoClock.getAsLong();
    this.older = new Latencies().snapshot();
    this.newer = older;
  }

  /** In nanoseconds; 0 when nothing was counted. */
  public synchronized long percentile(double share) {
    Histogram counts = latency.snapshot();
    long now = nanoClock.getAsLong();
    if (now - turnedNanos >= PERIOD_NANOS) {
      older = newer;
      newer = counts.copy();
      turnedNanos = now;
    }
    counts.subtract(older);
    return latency.percentile(counts, share);
  }
}
