package io.gauss.memory.bucket;

import io.gauss.common.fault.FaultPoints;
import io.gauss.common.health.Problem;
import io.gauss.common.runtime.Environment;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves some buckets. All operations on them are its tasks, which run one at a time in order of
 * arrival, so nothing in a bucket needs a lock. Tasks must not block.
 *
 * <p>Tasks run on this loop's thread, and those of {@link #runOrEnqueue} on their caller's while
 * there is nothing else to do: a message then comes, is processed and answered without a change of
 * threads. Whoever runs tasks holds {@code running}, so that each task sees what the ones before it
 * have done.
 *
 * <p>The queue is bounded. When it is full an offer fails, and the caller has to refuse the request
 * in turn.
 *
 * <p>Thread-safe.
 */
public final class BucketLoop implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BucketLoop.class);

  /** Background work runs after this many tasks at the latest. */
  private static final int TASKS_PER_TURN = 256;

  private static final String TASK = "memory.task";

  private static final long IDLE_NANOS = 100_000_000;

  private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final int capacity;
  private final Thread thread;
  private final Background background;

  /** True while a thread, which is then the only one, runs tasks or background work. */
  private final AtomicBoolean running = new AtomicBoolean();

  private volatile boolean parked;
  private volatile boolean closed;
  private volatile String failure;

  /** Work that is done between tasks, a little at a time. */
  @FunctionalInterface
  public interface Background {
    /** True when there is more to do. */
    boolean step();
  }

  /**
   * @param name of its thread
   * @param capacity most tasks that wait
   */
  public BucketLoop(String name, int capacity, Background background) {
    this.capacity = capacity;
    this.background = background;
    this.thread = Environment.thread(name, this::run);
  }

  public BucketLoop start() {
    thread.start();
    return this;
  }

  /** Queues a task; false when the queue is full or the loop is closed. */
  boolean offer(Runnable task) {
    if (closed) {
      return false;
    }
    if (waiting.incrementAndGet() > capacity) {
      waiting.decrementAndGet();
      return false;
    }
    add(task);
    return true;
  }

  /**
   * Queues a task even when the queue is full, for tasks that must not be lost. Such a task should
   * refuse what it can while {@link #isOverloaded}.
   */
  public void enqueue(Runnable task) {
    waiting.incrementAndGet();
    add(task);
  }

  /**
   * Runs a short task on the calling thread when no other one waits or runs, and otherwise queues
   * it, as {@link #enqueue}. Tasks of one caller keep their order.
   */
  public void runOrEnqueue(Runnable task) {
    if (queue.isEmpty() && !FaultPoints.isArmed(TASK) && running.compareAndSet(false, true)) {
      boolean ran = false;
      try {
        if (queue.isEmpty() && !closed) {
          runOne(task);
          ran = true;
        }
      } finally {
        running.set(false);
        if (!queue.isEmpty()) {
          wake(); // tasks that came meanwhile
        }
      }
      if (ran) {
        return;
      }
    }
    enqueue(task);
  }

  private void add(Runnable task) {
    queue.add(task);
    wake();
  }

  private void wake() {
    if (parked) {
      LockSupport.unpark(thread);
    }
  }

  /** True when more tasks wait than the capacity allows. */
  public boolean isOverloaded() {
    return waiting.get() > capacity;
  }

  /**
   * Queues a task.
   *
   * @throws RejectedExecutionException when the queue is full or the loop is closed
   */
  @Override
  public void execute(Runnable task) {
    if (!offer(task)) {
      throw new RejectedExecutionException(
          thread.getName() + (closed ? " is closed" : " has too much to do"));
    }
  }

  /** Tasks that wait. */
  public int waiting() {
    return waiting.get();
  }

  /** A problem if a task has failed, which none should. */
  public List<Problem> problems() {
    String why = failure;
    return why == null ? List.of() : List.of(new Problem(thread.getName() + " has failed", why));
  }

  private void run() {
    while (!closed || !queue.isEmpty()) {
      if (!runTurn()) {
        park();
      }
    }
  }

  /** False when there is nothing to do, or another thread does it. */
  private boolean runTurn() {
    if (!running.compareAndSet(false, true)) {
      return false;
    }
    try {
      int done = runTasks();
      return backgroundStep() || done > 0;
    } finally {
      running.set(false);
    }
  }

  private int runTasks() {
    int done = 0;
    while (done < TASKS_PER_TURN) {
      Runnable task = queue.poll();
      if (task == null) {
        break;
      }
      waiting.decrementAndGet();
      runOne(task);
      done++;
    }
    return done;
  }

  private void runOne(Runnable task) {
    step(
        () -> {
          FaultPoints.hit(TASK);
          task.run();
        });
  }

  /** A part of a task: its failure does not prevent the parts that follow. Within a task only. */
  public void step(Runnable part) {
    try {
      part.run();
    } catch (RuntimeException | AssertionError e) {
      LOG.error("a task of {} failed", thread.getName(), e);
      failure = e.toString();
    }
  }

  private boolean backgroundStep() {
    try {
      return background.step();
    } catch (RuntimeException | AssertionError e) {
      LOG.error("background work of {} failed", thread.getName(), e);
      failure = e.toString();
      return false;
    }
  }

  private void park() {
    parked = true;
    // A task offered before this flag was seen is found here; a later offer wakes this thread. So
    // does a thread that runs a task and, when it has, finds others.
    if ((queue.isEmpty() || running.get()) && !closed) {
      Environment.parkNanos(this, IDLE_NANOS);
    }
    parked = false;
  }

  /** Takes no more tasks, and returns when those that were queued have run. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    while (!queue.isEmpty() || running.get()) {
      if (runTurn()) {
        LOG.debug("tasks came while {} ended", thread.getName());
      } else {
        Thread.onSpinWait(); // for the caller of a short task
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
