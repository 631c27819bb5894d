package io.gauss.simulation;

import io.gauss.common.transport.link.Loop;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/** The event loop of a simulated node's transport: one of the node's threads. */
final class SimulatedLoop implements Loop {
  private static final int TASKS_PER_YIELD = 4; // on average

  private final SeededScheduler scheduler;
  private final SimulatedNode node;
  private final Random random;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final Thread thread;
  private boolean stopping;
  private boolean stopped;

  SimulatedLoop(SeededScheduler scheduler, SimulatedNode node, Random random, String name) {
    this.scheduler = scheduler;
    this.node = node;
    this.random = random;
    this.thread = node.start(name, this::run);
  }

  private void run() {
    while (true) {
      Runnable task = tasks.poll();
      if (task != null) {
        task.run();
        if (random.nextInt(TASKS_PER_YIELD) == 0) {
          Thread.yield();
        }
      } else if (stopping) {
        stopped = true;
        return;
      } else {
        LockSupport.park(this);
      }
    }
  }

  @Override
  public boolean inLoop() {
    return Thread.currentThread() == thread;
  }

  @Override
  public void execute(Runnable task) {
    if (stopped) {
      throw new RejectedExecutionException(node + "'s loop has ended");
    }
    tasks.add(task);
    LockSupport.unpark(thread);
  }

  @Override
  public Timer schedule(Runnable task, long delayNanos) {
    if (stopped) {
      throw new RejectedExecutionException(node + "'s loop has ended");
    }
    SeededScheduler.Timer timer =
        scheduler.after(
            node,
            delayNanos,
            () -> {
              if (!stopped) {
                execute(task);
              }
            });
    return timer::cancel;
  }

  @Override
  public long nanoTime() {
    return node.nanoTime();
  }

  /** Something comes from outside; without effect when the loop has ended. */
  void deliver(Runnable task) {
    if (!stopped) {
      execute(task);
    }
  }

  /** Runs the submitted tasks, then ends. */
  void stop() {
    stopping = true;
    LockSupport.unpark(thread);
    if (!inLoop()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  SimulatedNode node() {
    return node;
  }
}
