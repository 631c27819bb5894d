package io.gauss.simulation;

import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A task in simulated time. Timed waits for its result take simulated time as well.
 *
 * @param <V> its result
 */
final class SimulatedTask<V> extends FutureTask<V> implements ScheduledFuture<V> {
  private final SeededScheduler scheduler;
  private final SimulatedTaskQueue queue; // null = of a timer
  private final long order;
  private final long periodNanos; // 0 = once; negative: from the end of a run to the next
  private long at;

  SimulatedTask(SeededScheduler scheduler, Callable<V> task) {
    this(scheduler, null, task, 0, 0, 0);
  }

  SimulatedTask(
      SeededScheduler scheduler,
      SimulatedTaskQueue queue,
      Callable<V> task,
      long delayNanos,
      long periodNanos,
      long order) {
    super(task);
    this.scheduler = scheduler;
    this.queue = queue;
    this.order = order;
    this.periodNanos = periodNanos;
    this.at = scheduler.now() + Math.max(0, delayNanos);
  }

  /** Runs the action after the delay. */
  static SimulatedTask<?> after(
      SeededScheduler scheduler, SimulatedNode node, long delayNanos, Runnable action) {
    SimulatedTask<?> task = new SimulatedTask<>(scheduler, Executors.callable(action));
    scheduler.after(node, delayNanos, task);
    return task;
  }

  /** Simulated time at which it is due. */
  long at() {
    return at;
  }

  boolean isPeriodic() {
    return periodNanos != 0;
  }

  /** Runs it once; a periodic one is due again afterwards, unless it fails. */
  void turn() {
    if (periodNanos == 0) {
      run();
    } else if (runAndReset()) {
      at = periodNanos > 0 ? at + periodNanos : scheduler.now() - periodNanos;
      queue.again(this);
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    if (queue != null) {
      queue.remove(this);
    }
    return cancelled;
  }

  @Override
  public V get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (!SimulatedWaits.await(scheduler, this, unit.toNanos(timeout), this::isDone)) {
      throw new TimeoutException();
    }
    return get();
  }

  @Override
  public long getDelay(TimeUnit unit) {
    return unit.convert(at - scheduler.now(), TimeUnit.NANOSECONDS);
  }

  @Override
  public int compareTo(Delayed other) {
    SimulatedTask<?> task = (SimulatedTask<?>) other;
    int byTime = Long.compare(at, task.at);
    return byTime != 0 ? byTime : Long.compare(order, task.order);
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(order);
  }
}
