package io.gauss.compute.wait;

import io.gauss.common.runtime.Environment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How threads of the engine wait: parked, woken by the thread that makes the condition true, by the
 * waiter's interrupt, or at a deadline. Works for platform and virtual threads.
 */
public final class Parking {
  /** No deadline. */
  public static final long FOREVER = Long.MAX_VALUE;

  private Parking() {}

  /**
   * Parks until the future is done, however it ends. The caller has called {@link
   * Waits#beforeWait()}.
   *
   * @throws io.gauss.common.error.GaussException what the waiter was interrupted with
   */
  public static void awaitDone(Waiter ctx, Object blocker, CompletableFuture<?> future) {
    Thread waiting = Thread.currentThread();
    future.whenComplete((done, failure) -> LockSupport.unpark(waiting));
    await(ctx, blocker, FOREVER, future::isDone);
  }

  /**
   * Parks until the condition holds. The thread that makes it true unparks the calling thread; the
   * caller has arranged for that and has called {@link Waits#beforeWait()}.
   *
   * @param blocker for thread dumps and views: a {@link WaitCause}, a {@link CurrentWait.ForPage},
   *     or any other object waited for
   * @param nanos at most this long, {@link #FOREVER} for no limit
   * @return whether the condition holds; false only after the time is up
   * @throws io.gauss.common.error.GaussException what the waiter was interrupted with
   */
  public static boolean await(Waiter ctx, Object blocker, long nanos, BooleanSupplier condition) {
    if (condition.getAsBoolean()) {
      return true;
    }
    long start = Environment.nanoTime();
    boolean interrupted = false;
    ctx.waits().begin(blocker, start);
    try {
      while (!condition.getAsBoolean()) {
        ctx.waits().interrupts().check();
        if (nanos == FOREVER) {
          LockSupport.park(blocker);
        } else {
          long left = nanos - (Environment.nanoTime() - start);
          if (left <= 0) {
            return condition.getAsBoolean();
          }
          Environment.parkNanos(blocker, left);
        }
        // An interrupt of the thread would turn parking into spinning: it is cleared and restored
        // for the caller.
        interrupted |= Thread.interrupted();
      }
      return true;
    } finally {
      ctx.waits().end();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
