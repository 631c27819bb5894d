package io.gauss.common.task;

import io.gauss.common.error.Outage;
import io.gauss.common.health.Problem;
import io.gauss.common.runtime.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Platform threads for periodic tasks: one thread per task, named after it. A failure is logged,
 * and the task runs again at its next turn.
 */
public final class BackgroundTasks implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundTasks.class);

  private final Object monitor = new Object();
  private final List<Thread> threads = new ArrayList<>();
  private final Map<String, String> failures = new ConcurrentSkipListMap<>();
  private volatile boolean stopped; // written under the monitor

  /** Starts a task that runs at this interval, counted from its last end. */
  public void every(String name, Duration interval, Runnable task) {
    paced(
        name,
        interval,
        () -> {
          task.run();
          return interval;
        });
  }

  /**
   * Starts a task that says itself how long to pause until its next turn.
   *
   * @param pause before the first turn, and after one that failed
   */
  public void paced(String name, Duration pause, Supplier<Duration> task) {
    Thread thread = Environment.thread("gauss-" + name, () -> run(name, pause, task));
    synchronized (monitor) {
      if (stopped) {
        return;
      }
      threads.add(thread);
    }
    thread.start();
  }

  private void run(String name, Duration pause, Supplier<Duration> task) {
    Duration next = pause;
    while (pause(next.toMillis())) {
      next = pause;
      try {
        next = task.get();
        failures.remove(name);
      } catch (RuntimeException | AssertionError e) {
        if (Outage.is(e)) {
          LOG.warn("background task {} failed; it is tried again: {}", name, e.toString());
        } else {
          LOG.error("background task {} failed; it is tried again", name, e);
        }
        failures.put(name, e.toString());
      }
    }
  }

  private boolean pause(long millis) {
    Environment.await(this, millis * 1_000_000, () -> stopped);
    return !stopped && !Thread.currentThread().isInterrupted();
  }

  /** Tasks whose last turn failed. */
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    failures.forEach(
        (name, why) -> problems.add(new Problem("background task " + name + " fails", why)));
    return problems;
  }

  /** Starts no more tasks, and waits for running ones. */
  @Override
  public void close() {
    List<Thread> all;
    synchronized (monitor) {
      stopped = true;
      all = List.copyOf(threads);
    }
    all.forEach(LockSupport::unpark);
    all.forEach(Threads::join);
  }
}
