package io.gauss.common.runtime;

import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * The one door to threads, time and random numbers. An architecture test forbids the JDK's own ways
 * to them in everything that can be simulated; untimed waits (locks, conditions, {@link
 * LockSupport#park()}, {@link CompletableFuture#join}) need no door, since a simulation runs all
 * threads as virtual ones of its own.
 *
 * <p>The host is chosen once, when the JVM starts, by the system property {@value #PROPERTY}, and
 * is a constant from then on: the compiler sees through to the JVM's own methods.
 *
 * <p>Thread-safe.
 */
public final class Environment {
  /** Class name of the {@link Host}; that of the JVM when it is not set. */
  public static final String PROPERTY = "gauss.host";

  private static final long POLL_NANOS = 1_000_000;

  private static final Host HOST = load(System.getProperty(PROPERTY));

  private Environment() {}

  private static Host load(String className) {
    if (className == null) {
      return new JvmHost();
    }
    try {
      return (Host) Class.forName(className).getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(PROPERTY + " is no host: " + className, e);
    }
  }

  /** Monotonic time in nanoseconds; comparable only by differences. */
  public static long nanoTime() {
    return HOST.nanoTime();
  }

  /** The time of day. */
  public static Instant now() {
    return HOST.now();
  }

  /**
   * Parks the calling thread until it is unparked or interrupted, or until the time is up; it may
   * also return for no reason.
   *
   * @param blocker for thread dumps
   */
  public static void parkNanos(Object blocker, long nanos) {
    HOST.parkNanos(blocker, nanos);
  }

  /** As {@link #parkNanos(Object, long)}, without a blocker. */
  public static void parkNanos(long nanos) {
    HOST.parkNanos(null, nanos);
  }

  /** A daemon thread with a native thread of its own, not yet started. */
  public static Thread thread(String name, Runnable task) {
    return HOST.thread(name, task);
  }

  /** Starts a daemon thread with a native thread of its own. */
  public static Thread start(String name, Runnable task) {
    Thread thread = HOST.thread(name, task);
    thread.start();
    return thread;
  }

  /** Starts a virtual thread. */
  public static Thread startVirtual(String name, Runnable task) {
    Thread thread = HOST.virtualThread(name, task);
    thread.start();
    return thread;
  }

  /**
   * One daemon thread that executes tasks in order, and delayed ones at their time, also after a
   * shutdown. A cancelled task is removed at once.
   */
  public static ScheduledExecutorService scheduler(String threadName) {
    return HOST.scheduler(threadName, true);
  }

  /** As {@link #scheduler}, but a shutdown drops the delayed tasks that are not due. */
  public static ScheduledExecutorService abruptScheduler(String threadName) {
    return HOST.scheduler(threadName, false);
  }

  /**
   * Runs a task after the delay, on a virtual thread of its own.
   *
   * @return cancels it until then
   */
  public static Future<?> after(long delay, TimeUnit unit, String threadName, Runnable task) {
    return HOST.after(delay, unit, threadName, task);
  }

  /** Daemon threads that take tasks from one queue; named by prefix and number. */
  public static ExecutorService pool(String threadPrefix, int threads) {
    return HOST.pool(threadPrefix, threads);
  }

  /**
   * The size of something of which a simulation has less, to save time. The same during the life of
   * the JVM, and a constant for its compiler when it is kept in a static field.
   *
   * @return {@code usual}, except in a JVM that simulates
   */
  public static int size(int usual, int simulated) {
    return HOST.size(usual, simulated);
  }

  /** Processor time that this process has used, in nanoseconds; below 0 when it is not known. */
  public static long processorNanos() {
    return HOST.processorNanos();
  }

  /** Random numbers that decide what happens; not for secrets. For the calling thread only. */
  public static RandomGenerator random() {
    return HOST.random();
  }

  /**
   * Waits until the condition holds; whoever makes it true unparks the calling thread. An interrupt
   * ends the wait and stays set.
   *
   * @param nanos at most this long
   * @return whether the condition holds
   */
  public static boolean await(Object blocker, long nanos, BooleanSupplier condition) {
    long start = nanoTime();
    while (!condition.getAsBoolean()) {
      long left = nanos - (nanoTime() - start);
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        return condition.getAsBoolean();
      }
      parkNanos(blocker, left);
    }
    return true;
  }

  /**
   * Waits for a future's value, as {@link CompletableFuture#get(long, TimeUnit)} does, which asks
   * the JVM's clock.
   *
   * @throws ExecutionException with what the future has failed with
   * @throws TimeoutException when it is not done by then
   * @throws InterruptedException when the calling thread is interrupted
   */
  public static <T> T get(CompletableFuture<T> future, long time, TimeUnit unit)
      throws ExecutionException, TimeoutException, InterruptedException {
    Thread waiting = Thread.currentThread();
    future.whenComplete((done, failure) -> LockSupport.unpark(waiting));
    if (await(future, unit.toNanos(time), future::isDone)) {
      return future.get();
    }
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    throw new TimeoutException();
  }

  /**
   * Waits for an element of a queue, as {@link BlockingQueue#poll(long, TimeUnit)} does; whoever
   * adds one unparks the calling thread, or it is found after a millisecond.
   *
   * @return null when there is none by then
   * @throws InterruptedException when the calling thread is interrupted
   */
  public static <T> T poll(BlockingQueue<T> queue, long time, TimeUnit unit)
      throws InterruptedException {
    long start = nanoTime();
    while (true) {
      T next = queue.poll();
      if (next != null || nanoTime() - start >= unit.toNanos(time)) {
        return next;
      }
      parkNanos(queue, POLL_NANOS);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  /**
   * Waits for a thread to end, however often the caller is interrupted; the interrupt stays set.
   *
   * @param nanos at most this long
   * @return whether it has ended
   */
  public static boolean join(Thread thread, long nanos) {
    boolean interrupted = false;
    long start = nanoTime();
    long pause = 50_000;
    while (thread.isAlive() && nanoTime() - start < nanos) {
      parkNanos(thread, pause);
      pause = Math.min(2 * pause, 10_000_000);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
