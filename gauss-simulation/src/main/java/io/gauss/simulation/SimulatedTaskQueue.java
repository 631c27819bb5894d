package io.gauss.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread that executes tasks in order, and delayed ones at their simulated time, as {@link
 * java.util.concurrent.ScheduledThreadPoolExecutor} does in real time. Only the threads of the
 * simulation use it, one at a time.
 */
final class SimulatedTaskQueue extends AbstractExecutorService implements ScheduledExecutorService {
  private final SeededScheduler scheduler;
  private final SimulatedNode node;
  private final String threadName;
  private final boolean finishesDelayed;
  private final PriorityQueue<SimulatedTask<?>> tasks = new PriorityQueue<>();
  private long submitted;
  private Thread worker;
  private boolean shutdown;
  private boolean ended;

  SimulatedTaskQueue(
      SeededScheduler scheduler, SimulatedNode node, String threadName, boolean finishesDelayed) {
    this.scheduler = scheduler;
    this.node = node;
    this.threadName = threadName;
    this.finishesDelayed = finishesDelayed;
  }

  private <V> SimulatedTask<V> add(Callable<V> task, long delayNanos, long periodNanos) {
    if (shutdown) {
      throw new RejectedExecutionException(threadName + " has been shut down");
    }
    SimulatedTask<V> added =
        new SimulatedTask<>(scheduler, this, task, delayNanos, periodNanos, submitted++);
    tasks.add(added);
    wake();
    return added;
  }

  private void wake() {
    if (worker == null) {
      worker = node.start(threadName, this::work);
    } else {
      LockSupport.unpark(worker);
    }
  }

  private void work() {
    while (true) {
      SimulatedTask<?> next = tasks.peek();
      if (next == null) {
        if (shutdown) {
          ended = true;
          return;
        }
        LockSupport.park(this);
      } else if (next.at() > scheduler.now()) {
        scheduler.parkNanos(this, next.at() - scheduler.now());
      } else {
        tasks.poll();
        next.turn();
        continue;
      }
      if (!shutdown) {
        Thread.interrupted(); // meant for a task that has ended
      }
    }
  }

  /** A periodic task has run. */
  void again(SimulatedTask<?> task) {
    if (!shutdown) {
      tasks.add(task);
    }
  }

  void remove(SimulatedTask<?> task) {
    tasks.remove(task);
    if (shutdown && worker != null) {
      LockSupport.unpark(worker);
    }
  }

  @Override
  public void execute(Runnable task) {
    add(Executors.callable(task), 0, 0);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return add(Executors.callable(task), unit.toNanos(delay), 0);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    return add(task, unit.toNanos(delay), 0);
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long initialDelay, long period, TimeUnit unit) {
    return add(Executors.callable(task), unit.toNanos(initialDelay), unit.toNanos(period));
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    return add(Executors.callable(task), unit.toNanos(initialDelay), -unit.toNanos(delay));
  }

  @Override
  public void shutdown() {
    if (shutdown) {
      return;
    }
    shutdown = true;
    for (SimulatedTask<?> task : List.copyOf(tasks)) {
      boolean isLater = task.at() > scheduler.now();
      if (task.isPeriodic() || (isLater && !finishesDelayed)) {
        task.cancel(false);
      }
    }
    endOrWake();
  }

  private void endOrWake() {
    if (worker == null) {
      ended = true;
    } else {
      LockSupport.unpark(worker);
    }
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    List<Runnable> dropped = new ArrayList<>(tasks);
    tasks.clear();
    if (worker != null) {
      worker.interrupt();
    }
    endOrWake();
    return dropped;
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return ended;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return SimulatedWaits.await(scheduler, this, unit.toNanos(timeout), this::isTerminated);
  }
}
