package io.gauss.common.runtime;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/** The JVM itself. */
public final class JvmHost implements Host {
  private final ScheduledExecutorService timer = scheduler("gauss-timer", true);

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    LockSupport.parkNanos(blocker, nanos);
  }

  @Override
  public Thread thread(String name, Runnable task) {
    return Thread.ofPlatform().daemon().name(name).unstarted(task);
  }

  @Override
  public Thread virtualThread(String name, Runnable task) {
    return Thread.ofVirtual().name(name).unstarted(task);
  }

  @Override
  public ScheduledExecutorService scheduler(String threadName, boolean finishesDelayed) {
    ScheduledThreadPoolExecutor scheduler =
        new ScheduledThreadPoolExecutor(1, task -> thread(threadName, task));
    scheduler.setRemoveOnCancelPolicy(true);
    scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(finishesDelayed);
    return scheduler;
  }

  @Override
  public Future<?> after(long delay, TimeUnit unit, String threadName, Runnable task) {
    return timer.schedule(() -> virtualThread(threadName, task).start(), delay, unit);
  }

  @Override
  public ExecutorService pool(String threadPrefix, int threads) {
    AtomicInteger number = new AtomicInteger();
    return Executors.newFixedThreadPool(
        threads, task -> thread(threadPrefix + number.incrementAndGet(), task));
  }

  @Override
  public int size(int usual, int simulated) {
    return usual;
  }

  @Override
  public long processorNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  @Override
  public RandomGenerator random() {
    return ThreadLocalRandom.current();
  }
}
