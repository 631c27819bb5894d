package io.gauss.common.transport.sim;

import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.local.LocalNetwork;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Time that only a test advances. Tasks of all loops run on the test's thread, in the order of
 * their time and, for equal times, of their submission. So every run is the same. To be used by one
 * thread.
 */
public final class SimulatedTime {
  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private long nowNanos;
  private long submitted;
  private long steps;

  private static final class Task implements Comparable<Task> {
    private final SimulatedLoop loop;
    private final Runnable action;
    private final long timeNanos;
    private final long order;
    private boolean cancelled;
    private boolean survivesStop;

    private Task(SimulatedLoop loop, Runnable action, long timeNanos, long order) {
      this.loop = loop;
      this.action = action;
      this.timeNanos = timeNanos;
      this.order = order;
    }

    @Override
    public int compareTo(Task other) {
      int byTime = Long.compare(timeNanos, other.timeNanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final class SimulatedLoop implements Loop {
    private boolean stopped;
    private boolean running;

    @Override
    public boolean inLoop() {
      return running;
    }

    @Override
    public void execute(Runnable task) {
      schedule(task, 0);
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
      if (stopped) {
        throw new RejectedExecutionException("the loop was stopped");
      }
      Task added = new Task(this, task, nowNanos + delayNanos, submitted++);
      tasks.add(added);
      return () -> added.cancelled = true;
    }

    @Override
    public long nanoTime() {
      return nowNanos;
    }

    /** As a real loop: due tasks still run, timers do not. */
    private void stop() {
      for (Task due = nextOf(this); due != null; due = nextOf(this)) {
        tasks.remove(due);
        run(due);
      }
      stopped = true;
      tasks.removeIf(task -> task.loop == this && !task.survivesStop);
    }
  }

  /** A loop with this time. */
  public Loop loop() {
    return new SimulatedLoop();
  }

  /** A loop for a node that can be stopped. */
  public LocalNetwork.StoppableLoop stoppableLoop() {
    SimulatedLoop loop = new SimulatedLoop();
    return new LocalNetwork.StoppableLoop(loop, loop::stop);
  }

  /**
   * Schedules an action that must run even if the loop is stopped meanwhile: the arrival of a
   * message, whose buffers have to be released.
   */
  void arrive(Loop loop, Runnable action, long delayNanos) {
    Task task = new Task((SimulatedLoop) loop, action, nowNanos + delayNanos, submitted++);
    task.survivesStop = true;
    tasks.add(task);
  }

  /** Lets messages under way arrive at loops that were stopped. */
  void finish() {
    tasks.removeIf(task -> !task.survivesStop);
    while (!tasks.isEmpty()) {
      run(tasks.poll());
    }
  }

  private Task nextOf(SimulatedLoop loop) {
    return tasks.stream()
        .filter(task -> task.loop == loop && task.timeNanos <= nowNanos && !task.cancelled)
        .min(Task::compareTo)
        .orElse(null);
  }

  public long nanoTime() {
    return nowNanos;
  }

  /** Tasks run so far: the same in every run with the same seed. */
  public long steps() {
    return steps;
  }

  /** Runs all tasks of the next {@code duration}. */
  public void advance(Duration duration) {
    long end = nowNanos + duration.toNanos();
    while (!tasks.isEmpty() && tasks.peek().timeNanos <= end) {
      run(tasks.poll());
    }
    nowNanos = end;
  }

  /** Time passes and nothing runs, as when the process is paused; due tasks then run late. */
  public void standStill(Duration duration) {
    nowNanos += duration.toNanos();
  }

  /**
   * Runs until the condition holds.
   *
   * @throws AssertionError when it does not within {@code limit} of simulated time
   */
  public void runUntil(BooleanSupplier condition, Duration limit) {
    long end = nowNanos + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (tasks.isEmpty() || tasks.peek().timeNanos > end) {
        throw new AssertionError("it did not happen within " + limit + " of simulated time");
      }
      run(tasks.poll());
    }
  }

  /** The future's value; runs until it has one, at most an hour of simulated time. */
  public <T> T await(CompletableFuture<T> future) {
    runUntil(future::isDone, Duration.ofHours(1));
    return future.join();
  }

  private void run(Task task) {
    nowNanos = Math.max(nowNanos, task.timeNanos);
    if (task.cancelled) {
      return;
    }
    steps++;
    boolean before = task.loop.running;
    task.loop.running = true;
    try {
      task.action.run();
    } finally {
      task.loop.running = before;
    }
  }

  @Override
  public String toString() {
    return TimeUnit.NANOSECONDS.toMicros(nowNanos) + " us, step " + steps;
  }
}
