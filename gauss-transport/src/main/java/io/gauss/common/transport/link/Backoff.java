package io.gauss.common.transport.link;

import io.gauss.common.transport.TransportSettings;
import java.util.function.DoubleSupplier;

/**
 * Pauses between attempts to connect. The backoff doubles after each failure, and is spread
 * randomly over its second half. Confined to the loop.
 */
final class Backoff {
  private final TransportSettings settings;
  private final DoubleSupplier jitter;
  private int failures;

  /**
   * @param jitter from 0 to 1
   */
  Backoff(TransportSettings settings, DoubleSupplier jitter) {
    this.settings = settings;
    this.jitter = jitter;
  }

  /** The pause after another failed attempt, in ns. */
  long nextNanos() {
    long half = fullNanos() / 2;
    failures++;
    return half + (long) (half * jitter.getAsDouble());
  }

  /** The longest pause after another failure, in ns. */
  long fullNanos() {
    long longest = settings.maxBackoff().toNanos();
    long full = settings.minBackoff().toNanos() << Math.min(failures, 20);
    return full <= 0 || full > longest ? longest : full;
  }

  /** A connection counts as a success. */
  void reset() {
    failures = 0;
  }
}
