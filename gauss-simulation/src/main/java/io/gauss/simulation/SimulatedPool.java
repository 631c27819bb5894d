package io.gauss.simulation;

import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A pool of threads of the simulation. Only those use it. */
final class SimulatedPool extends ThreadPoolExecutor {
  private final SeededScheduler scheduler;
  private int number;

  SimulatedPool(SeededScheduler scheduler, SimulatedNode node, String threadPrefix, int threads) {
    super(threads, threads, 0, TimeUnit.NANOSECONDS, new LinkedBlockingQueue<>());
    this.scheduler = scheduler;
    setThreadFactory(task -> scheduler.thread(node, threadPrefix + ++number, task));
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Callable<T> task) {
    return new SimulatedTask<>(scheduler, task);
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Runnable task, T value) {
    return new SimulatedTask<>(
        scheduler,
        () -> {
          task.run();
          return value;
        });
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return SimulatedWaits.await(scheduler, this, unit.toNanos(timeout), this::isTerminated);
  }
}
