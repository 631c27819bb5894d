package io.gauss.bench;

import org.HdrHistogram.Histogram;

/** Latencies and failures of one kind of transaction on one terminal. Not thread-safe. */
final class KindStatistics {
  private static final long HIGHEST_US = 600_000_000L;

  final Histogram latencyUs = new Histogram(HIGHEST_US, 3);
  long failures;

  void add(KindStatistics other) {
    latencyUs.add(other.latencyUs);
    failures += other.failures;
  }

  void record(long nanos) {
    latencyUs.recordValue(Math.min(HIGHEST_US, Math.max(1, nanos / 1000)));
  }
}
