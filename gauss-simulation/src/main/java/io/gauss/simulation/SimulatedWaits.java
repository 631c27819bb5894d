package io.gauss.simulation;

import java.util.function.BooleanSupplier;

/** Timed waits of the simulation's executors. */
final class SimulatedWaits {
  private static final long LOOK_NANOS = 1_000_000;

  private SimulatedWaits() {}

  /**
   * Waits until the condition holds, in simulated time.
   *
   * @return whether it does
   * @throws InterruptedException when the calling thread is interrupted
   */
  static boolean await(
      SeededScheduler scheduler, Object blocker, long nanos, BooleanSupplier condition)
      throws InterruptedException {
    long start = scheduler.now();
    while (!condition.getAsBoolean()) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      long left = nanos - (scheduler.now() - start);
      if (left <= 0) {
        return false;
      }
      scheduler.parkNanos(blocker, Math.min(left, LOOK_NANOS));
    }
    return true;
  }
}
