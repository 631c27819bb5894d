package io.gauss.compute.wait;

import io.gauss.common.runtime.Environment;
import java.util.concurrent.atomic.LongAdder;

/** How often and how long threads waited for one kind of resource. Thread-safe. */
public final class WaitCounter {
  private final LongAdder count = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  /** Counts a wait that began at this {@link System#nanoTime} and ends now; returns how long. */
  public long waitedSince(long startNanos) {
    long waited = Environment.nanoTime() - startNanos;
    add(waited);
    return waited;
  }

  /** Counts a wait of this duration. */
  public void add(long waitedNanos) {
    count.increment();
    nanos.add(waitedNanos);
  }

  public long count() {
    return count.sum();
  }

  public long totalNanos() {
    return nanos.sum();
  }
}
