package io.gauss.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads of the simulation that take tasks from one queue. The JDK's pool keeps its threads in the
 * order of identity hash codes, which no seed repeats. Only the threads of the simulation use it.
 */
final class SimulatedPool extends AbstractExecutorService {
  private final SeededScheduler scheduler;
  private final SimulatedNode node;
  private final String threadPrefix;
  private final int maxThreads;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final ArrayDeque<Thread> idle = new ArrayDeque<>();
  private final List<Thread> workers = new ArrayList<>();
  private int started;
  private boolean shutdown;

  SimulatedPool(SeededScheduler scheduler, SimulatedNode node, String threadPrefix, int threads) {
    this.scheduler = scheduler;
    this.node = node;
    this.threadPrefix = threadPrefix;
    this.maxThreads = threads;
  }

  @Override
  public void execute(Runnable task) {
    if (shutdown) {
      throw new RejectedExecutionException(threadPrefix + " has been shut down");
    }
    tasks.add(task);
    if (started < maxThreads) {
      workers.add(node.start(threadPrefix + ++started, this::work));
    } else if (!idle.isEmpty()) {
      LockSupport.unpark(idle.poll());
    }
  }

  private void work() {
    Thread self = Thread.currentThread();
    while (true) {
      Runnable task = tasks.poll();
      if (task != null) {
        task.run();
      } else if (shutdown) {
        workers.remove(self);
        return;
      } else {
        idle.add(self);
        LockSupport.park(this);
        idle.remove(self);
      }
      if (!shutdown) {
        Thread.interrupted(); // meant for a task that has ended
      }
    }
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Callable<T> task) {
    return new SimulatedTask<>(scheduler, task);
  }

  @Override
  protected <T> RunnableFuture<T> newTaskFor(Runnable task, T value) {
    return new SimulatedTask<>(scheduler, Executors.callable(task, value));
  }

  @Override
  public void shutdown() {
    shutdown = true;
    idle.forEach(LockSupport::unpark);
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    List<Runnable> dropped = List.copyOf(tasks);
    tasks.clear();
    workers.forEach(Thread::interrupt);
    return dropped;
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown && workers.isEmpty();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return SimulatedWaits.await(scheduler, this, unit.toNanos(timeout), this::isTerminated);
  }
}
