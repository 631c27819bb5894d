package io.gauss.common.task;

import io.gauss.common.runtime.Environment;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates platform threads, and waits for them to end. */
public final class Threads {
  private Threads() {}

  /** Joins even if the caller is interrupted, and restores the caller's interrupt status. */
  public static void join(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Platform threads that take tasks from one queue; named by prefix and number. */
  public static ThreadPoolExecutor pool(String prefix, int threads) {
    AtomicInteger number = new AtomicInteger();
    return new ThreadPoolExecutor(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        task -> Environment.thread(prefix + number.incrementAndGet(), task));
  }
}
