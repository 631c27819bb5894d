package io.gauss.bench.raft;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * A number of committers, each of which has one record under way at a time and submits the next
 * when the last is durable. They are callbacks, not threads, so that only the log is measured.
 */
final class Committers {
  /** Makes a record durable and then calls back. */
  @FunctionalInterface
  interface Log {
    void commit(Runnable durable);
  }

  private final Log log;
  private final Histogram nanos = new ConcurrentHistogram(3);
  private final LongAdder commits = new LongAdder();
  private final AtomicBoolean measuring = new AtomicBoolean();
  private volatile boolean stopped;

  Committers(Log log) {
    this.log = log;
  }

  void start(int count) {
    for (int i = 0; i < count; i++) {
      next();
    }
  }

  private void next() {
    long begun = System.nanoTime();
    log.commit(
        () -> {
          if (measuring.get()) {
            nanos.recordValue(System.nanoTime() - begun);
            commits.increment();
          }
          if (!stopped) {
            next();
          }
        });
  }

  void measure(boolean on) {
    measuring.set(on);
  }

  void stop() {
    stopped = true;
  }

  long commits() {
    return commits.sum();
  }

  double micros(double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1000.0;
  }
}
