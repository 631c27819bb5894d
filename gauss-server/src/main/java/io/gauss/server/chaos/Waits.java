package io.gauss.server.chaos;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Pauses of threads that nothing interrupts. */
final class Waits {
  private static final int POLL_MS = 20;

  private Waits() {}

  static void sleep(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    long left = end - System.nanoTime();
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = end - System.nanoTime();
    }
  }

  /** False when it is not so within that many seconds. */
  static boolean await(int seconds, BooleanSupplier condition) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(seconds)) {
        return false;
      }
      sleep(POLL_MS);
    }
    return true;
  }
}
