package io.gauss.common.task;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Things that are done after a time, each on a virtual thread of its own, so that one that waits
 * holds up no other.
 *
 * <p>What {@link CompletableFuture} offers for that runs on threads that the whole JVM shares: its
 * delays and timeouts on one, what follows asynchronously on the common pool, which has a single
 * thread on a machine with two cores. Whatever blocks there, ours or a library's, holds up joins,
 * leases and reads for as long. So none of it is used (an architecture test says so).
 *
 * <p>Thread-safe.
 */
public final class Later {
  private static final ScheduledThreadPoolExecutor TIMER = timer();

  /** For the {@code ...Async} methods: a virtual thread for each task. */
  public static final Executor NOW = task -> Thread.ofVirtual().name("gauss-later").start(task);

  private Later() {}

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1, task -> Thread.ofPlatform().daemon().name("gauss-timer").unstarted(task));
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /** Runs a task after the delay. What is returned can cancel it until then. */
  public static Future<?> run(long delay, TimeUnit unit, Runnable task) {
    return TIMER.schedule(() -> NOW.execute(task), delay, unit);
  }

  /** Completes the future after the time, unless it is complete by then. Returns the future. */
  public static <T> CompletableFuture<T> completeAfter(
      CompletableFuture<T> future, long time, TimeUnit unit, Supplier<T> value) {
    Future<?> timeout = run(time, unit, () -> future.complete(value.get()));
    future.whenComplete((result, failure) -> timeout.cancel(false));
    return future;
  }

  /**
   * Fails the future with a {@link TimeoutException} after the time, unless it is complete by then.
   * Returns the future.
   */
  public static <T> CompletableFuture<T> failAfter(
      CompletableFuture<T> future, long time, TimeUnit unit) {
    Future<?> timeout = run(time, unit, () -> future.completeExceptionally(new TimeoutException()));
    future.whenComplete((result, failure) -> timeout.cancel(false));
    return future;
  }
}
