package io.gauss.common.task;

import io.gauss.common.runtime.Environment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Runs delayed tasks, each on its own virtual thread, so that a waiting task does not delay others.
 *
 * <p>The corresponding methods of {@link CompletableFuture} run on threads that the whole JVM
 * shares: delays and timeouts on a single thread, asynchronous continuations on the common pool,
 * which has a single thread on a machine with two cores. Code that blocks there, ours or a
 * library's, delays joins, leases and reads. So these methods are not used (an architecture test
 * enforces that).
 *
 * <p>Thread-safe.
 */
public final class Later {
  private static final String NAME = "gauss-later";

  /** For the {@code ...Async} methods: a virtual thread for each task. */
  public static final Executor NOW = task -> Environment.startVirtual(NAME, task);

  private Later() {}

  /** Runs a task after the delay. The returned future can cancel it until then. */
  public static Future<?> run(long delay, TimeUnit unit, Runnable task) {
    return Environment.after(delay, unit, NAME, task);
  }

  /** Completes the future after the time, unless it is already complete. Returns the future. */
  public static <T> CompletableFuture<T> completeAfter(
      CompletableFuture<T> future, long time, TimeUnit unit, Supplier<T> value) {
    Future<?> timeout = run(time, unit, () -> future.complete(value.get()));
    future.whenComplete((result, failure) -> timeout.cancel(false));
    return future;
  }

  /**
   * Fails the future with a {@link TimeoutException} after the time, unless it is already complete.
   * Returns the future.
   */
  public static <T> CompletableFuture<T> failAfter(
      CompletableFuture<T> future, long time, TimeUnit unit) {
    Future<?> timeout = run(time, unit, () -> future.completeExceptionally(new TimeoutException()));
    future.whenComplete((result, failure) -> timeout.cancel(false));
    return future;
  }
}
