package io.gauss.compute.cluster.clock;

import io.gauss.common.runtime.Environment;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does what is due when it is due, on the thread {@code gauss-clocks}. Thread-safe. */
final class ClockTimer {
  private static final Logger LOG = LoggerFactory.getLogger(ClockTimer.class);

  private final LongSupplier tick;
  private volatile boolean closed;
  private Thread thread; // under this lock, so that no call before the first round is missed

  /**
   * @param tick does what is due, and returns the nanoseconds until something is due again
   */
  ClockTimer(LongSupplier tick) {
    this.tick = tick;
  }

  synchronized void start() {
    thread = Environment.start("gauss-clocks", this::run);
  }

  private void run() {
    while (!closed) {
      long wait;
      try {
        wait = tick.getAsLong();
      } catch (RuntimeException | AssertionError e) {
        LOG.error("clock leases could not be looked after; it is tried again", e);
        wait = ClockTimes.SHORTEST.toNanos() / 4;
      }
      Environment.parkNanos(this, wait);
    }
  }

  /** Something may be due earlier than it seemed. */
  synchronized void wake() {
    LockSupport.unpark(thread);
  }

  void close() {
    closed = true;
    wake();
  }
}
