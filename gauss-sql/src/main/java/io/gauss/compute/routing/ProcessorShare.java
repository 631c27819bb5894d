package io.gauss.compute.routing;

import io.gauss.common.runtime.Environment;
import java.util.function.LongSupplier;

/** Processor time of this process as a share of the time that it may use. For one thread. */
final class ProcessorShare {
  private static final double SMOOTHING = 0.5;

  private final LongSupplier nanos;
  private long lastNanos;
  private long lastUsed;
  private double share = -1;

  ProcessorShare(LongSupplier nanos) {
    this.nanos = nanos;
    this.lastNanos = nanos.getAsLong();
    this.lastUsed = Environment.processorNanos();
  }

  /** The share since the last call, smoothed; 0 to 1, below 0 when it is not known. */
  double next() {
    long now = nanos.getAsLong();
    long used = Environment.processorNanos();
    if (used >= 0 && now > lastNanos) {
      double available = (double) (now - lastNanos) * Runtime.getRuntime().availableProcessors();
      double latest = Math.clamp((used - lastUsed) / available, 0, 1);
      share = share < 0 ? latest : share + SMOOTHING * (latest - share);
    }
    lastNanos = now;
    lastUsed = used;
    return share;
  }
}
