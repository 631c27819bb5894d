package io.gauss.common.runtime;

import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * What {@link Environment} stands for: {@link JvmHost}, or a simulation. An implementation has a
 * public constructor without parameters, and is thread-safe.
 */
public interface Host {
  /** Monotonic time in nanoseconds; comparable only by differences. */
  long nanoTime();

  /** The time of day. */
  Instant now();

  /**
   * Parks the calling thread until it is unparked or interrupted, or until the time is up; it may
   * also return for no reason.
   *
   * @param blocker for thread dumps; may be null
   * @param nanos not more than 0 returns at once
   */
  void parkNanos(Object blocker, long nanos);

  /** A daemon thread with a native thread of its own, not yet started. */
  Thread thread(String name, Runnable task);

  /** A virtual thread, not yet started. */
  Thread virtualThread(String name, Runnable task);

  /**
   * One daemon thread that executes tasks in order, and delayed ones at their time. A cancelled
   * task is removed at once.
   *
   * @param finishesDelayed whether delayed tasks still run, at their time, after a shutdown
   */
  ScheduledExecutorService scheduler(String threadName, boolean finishesDelayed);

  /**
   * Runs a task after the delay, on a virtual thread of its own.
   *
   * @return cancels it until then
   */
  Future<?> after(long delay, TimeUnit unit, String threadName, Runnable task);

  /** Daemon threads that take tasks from one queue. */
  ExecutorService pool(String threadPrefix, int threads);

  /** Returns one of two sizes, always the same: see {@link Environment#size}. */
  int size(int usual, int simulated);

  /** Processor time that this process has used, in nanoseconds; below 0 when it is not known. */
  long processorNanos();

  /** Random numbers that decide what happens; not for secrets. */
  RandomGenerator random();
}
