package io.gauss.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.runtime.Environment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class SimulationTest {
  private static final int SEEDS = 300;

  @Test
  void aSeedDecidesInWhichOrderThreadsRun() {
    Set<Long> histories = new HashSet<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      long first = history(seed);
      histories.add(first);
      assertEquals(first, history(seed), "seed " + seed);
    }
    assertTrue(histories.size() > SEEDS * 9 / 10, histories.size() + " histories");
  }

  /** Locks, conditions, queues, futures and executors, as the product uses them. */
  private static long history(long seed) {
    Simulation simulation = new Simulation(seed);
    List<Integer> order = new ArrayList<>();
    simulation.run(() -> contend(order));
    return 31 * simulation.trace().hash() + order.hashCode();
  }

  private static void contend(List<Integer> order) throws Exception {
    ReentrantLock lock = new ReentrantLock();
    Condition changed = lock.newCondition();
    ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(2);
    ExecutorService pool = Environment.pool("pool-", 3);
    ScheduledExecutorService timed = Environment.scheduler("timed");
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int producer = i;
      threads.add(
          Environment.start(
              "producer-" + i,
              () -> {
                for (int j = 0; j < 10; j++) {
                  locked(lock, () -> order.add(producer));
                  put(queue, j);
                  Environment.parkNanos(1_000L * Environment.random().nextInt(5));
                }
              }));
    }
    ScheduledFuture<?> tick =
        timed.scheduleAtFixedRate(
            () -> locked(lock, changed::signalAll), 100, 100, TimeUnit.MICROSECONDS);
    for (int j = 0; j < 30; j++) {
      int taken = queue.take();
      Future<Integer> doubled = pool.submit(() -> 2 * taken);
      CompletableFuture<Integer> answer = new CompletableFuture<>();
      Environment.after(taken, TimeUnit.MICROSECONDS, "later", () -> answer.complete(taken));
      order.add(doubled.get() + answer.get());
      lock.lock();
      try {
        changed.await();
      } finally {
        lock.unlock();
      }
    }
    tick.cancel(false);
    for (Thread thread : threads) {
      assertTrue(Environment.join(thread, TimeUnit.SECONDS.toNanos(1)));
    }
    pool.shutdown();
    assertTrue(pool.awaitTermination(1, TimeUnit.SECONDS));
    timed.shutdown();
    assertTrue(timed.awaitTermination(1, TimeUnit.SECONDS));
  }

  private static void locked(ReentrantLock lock, Runnable action) {
    lock.lock();
    try {
      Thread.yield();
      action.run();
    } finally {
      lock.unlock();
    }
  }

  private static void put(ArrayBlockingQueue<Integer> queue, int element) {
    try {
      queue.put(element);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Caffeine draws whether a page stays in a cache; hash codes of threads are their numbers. */
  @Test
  void whatTheJdkDrawsForThreadsIsTheSameInEachRun() {
    List<Integer> first = drawnByTheJdk();
    assertEquals(first, drawnByTheJdk());
    assertEquals(first.size(), Set.copyOf(first).size(), first.toString());
  }

  private static List<Integer> drawnByTheJdk() {
    List<Integer> drawn = new ArrayList<>();
    new Simulation(1)
        .run(
            () -> {
              for (int i = 0; i < 3; i++) {
                Thread thread =
                    Environment.start(
                        "draw",
                        () -> {
                          drawn.add(ThreadLocalRandom.current().nextInt());
                          drawn.add(Thread.currentThread().hashCode());
                        });
                thread.join();
              }
            });
    return drawn;
  }

  @Test
  void timeJumpsWhenNothingCanRun() {
    Simulation simulation = new Simulation(1);
    simulation.run(
        () -> {
          long start = Environment.nanoTime();
          Environment.parkNanos(TimeUnit.HOURS.toNanos(1));
          assertTrue(Environment.nanoTime() - start >= TimeUnit.HOURS.toNanos(1));
        });
    assertEquals(1, simulation.elapsed().toHours());
  }

  @Test
  void aLoopThatLooksAtTheClockEnds() {
    new Simulation(1)
        .run(
            () -> {
              long end = Environment.nanoTime() + 1_000_000;
              while (Environment.nanoTime() < end) {
                Thread.onSpinWait();
              }
            });
  }

  @Test
  void threadsOfAKilledNodeNeverRunAgain() {
    new Simulation(1)
        .run(
            () -> {
              SimulatedNode node = SimulatedHost.caller().node("killed");
              List<String> ran = new ArrayList<>();
              node.start(
                  "worker",
                  () -> {
                    Environment.after(20, TimeUnit.MILLISECONDS, "later", () -> ran.add("later"));
                    Environment.start("child", () -> sleepThenAdd(ran, "child"));
                    sleepThenAdd(ran, "worker");
                  });
              Environment.parkNanos(5_000_000);
              node.kill();
              Environment.parkNanos(50_000_000);
              assertEquals(List.of(), ran);
            });
  }

  private static void sleepThenAdd(List<String> ran, String what) {
    long end = Environment.nanoTime() + 10_000_000;
    while (Environment.nanoTime() < end) {
      Environment.parkNanos(10_000_000);
    }
    ran.add(what);
  }

  @Test
  void threadsOfAPausedNodeRunLater() {
    new Simulation(1)
        .run(
            () -> {
              SimulatedNode node = SimulatedHost.caller().node("paused");
              List<String> ran = new ArrayList<>();
              Thread thread = node.start("worker", () -> sleepThenAdd(ran, "worker"));
              Environment.parkNanos(5_000_000);
              node.pause();
              Environment.parkNanos(50_000_000);
              assertEquals(List.of(), ran);
              LockSupport.unpark(thread);
              node.resume();
              Environment.parkNanos(1_000_000);
              assertEquals(List.of("worker"), ran);
            });
  }

  @Test
  void clocksOfNodesDiffer() {
    new Simulation(1)
        .run(
            () -> {
              long[] times = new long[2];
              for (int i = 0; i < 2; i++) {
                int node = i;
                SimulatedHost.caller()
                    .node("node " + i)
                    .start("look", () -> times[node] = Environment.nanoTime());
              }
              Environment.parkNanos(1_000_000);
              assertNotEquals(times[0], times[1], 1_000_000);
            });
  }

  @Test
  void aThreadThatWaitsForAMonitorFailsTheRun() {
    AssertionError failure =
        assertThrows(
            AssertionError.class, () -> new Simulation(1).run(SimulationTest::waitForMonitor));
    assertTrue(failure.getCause().getMessage().contains("which no seed repeats"));
    StackTraceElement[] place = failure.getCause().getStackTrace();
    assertTrue(
        List.of(place).stream().anyMatch(line -> line.getMethodName().contains("holdMonitor")));
  }

  /** A cleaner's, for example: nothing else runs meanwhile, so the seed repeats. */
  @Test
  void aMonitorThatAThreadOfTheJvmHasForAMomentIsWaitedFor() throws Exception {
    Object monitor = new Object();
    CountDownLatch held = new CountDownLatch(1);
    AtomicReference<Thread> waiting = new AtomicReference<>();
    Thread outside =
        Thread.ofPlatform()
            .start(
                () -> {
                  synchronized (monitor) {
                    held.countDown();
                    while (waiting.get() == null
                        || waiting.get().getState() != Thread.State.BLOCKED) {
                      Thread.onSpinWait();
                    }
                  }
                });
    held.await();
    List<String> order = new ArrayList<>();
    new Simulation(1)
        .run(
            () -> {
              Environment.start("other", () -> order.add("other"));
              waiting.set(Thread.currentThread());
              synchronized (monitor) {
                order.add("first");
              }
            });
    outside.join();
    assertEquals("first", order.getFirst());
  }

  private static void waitForMonitor() {
    Object monitor = new Object();
    Thread first = Environment.start("first", () -> holdMonitor(monitor));
    Thread second = Environment.start("second", () -> holdMonitor(monitor));
    Environment.join(first, TimeUnit.SECONDS.toNanos(1));
    Environment.join(second, TimeUnit.SECONDS.toNanos(1));
  }

  private static void holdMonitor(Object monitor) {
    synchronized (monitor) {
      Environment.parkNanos(1_000_000);
    }
  }

  /** Also when a thread of the JVM's would end it, as at the limit of direct memory. */
  @Test
  void aWaitOfObjectsFailsTheRunAtItsPlace() {
    AssertionError failure =
        assertThrows(
            AssertionError.class, () -> new Simulation(1).run(SimulationTest::waitToBeNotified));
    assertTrue(failure.getCause().getMessage().contains("waits in Object.wait"));
    assertTrue(
        List.of(failure.getCause().getStackTrace()).stream()
            .anyMatch(line -> line.getMethodName().equals("waitToBeNotified")));
  }

  private static void waitToBeNotified() throws InterruptedException {
    Object monitor = new Object();
    synchronized (monitor) {
      while (Thread.holdsLock(monitor)) {
        monitor.wait();
      }
    }
  }

  @Test
  void aTimedWaitOfTheJdkFailsTheRun() {
    AssertionError failure =
        assertThrows(
            AssertionError.class,
            () -> new Simulation(1).run(() -> LockSupport.parkNanos(1_000_000)));
    assertTrue(failure.getCause().getMessage().contains("which no seed repeats"));
  }

  /** The JVM's thread may have continued it before it has stopped. */
  @Test
  void aTimedWaitOfTheJdkThatIsOverAtOnceFailsTheRun() {
    // A second or two each, since the run waits for what the JVM's thread does.
    for (int seed = 0; seed < 10; seed++) {
      Simulation simulation = new Simulation(seed);
      assertThrows(
          AssertionError.class,
          () -> simulation.run(() -> LockSupport.parkNanos(1)),
          () -> "seed " + simulation.seed());
    }
  }

  @Test
  void aThreadThatFailsFailsTheRun() {
    AssertionError failure =
        assertThrows(
            AssertionError.class,
            () ->
                new Simulation(1)
                    .run(
                        () -> {
                          Environment.start(
                              "failing",
                              () -> {
                                throw new IllegalStateException("on purpose");
                              });
                          Environment.parkNanos(1_000_000);
                        }));
    assertEquals("on purpose", failure.getCause().getCause().getMessage());
  }

  @Test
  void delayedTasksEndAsInTheJvm() throws Exception {
    // Once in the JVM, once in a simulation: the same contract.
    delayedTasksEnd();
    new Simulation(1).run(SimulationTest::delayedTasksEnd);
  }

  private static void delayedTasksEnd() throws Exception {
    ScheduledExecutorService finishing = Environment.scheduler("finishing");
    Future<String> late = finishing.schedule(() -> "late", 20, TimeUnit.MILLISECONDS);
    finishing.shutdown();
    assertThrows(RejectedExecutionException.class, () -> finishing.execute(() -> {}));
    assertTrue(finishing.awaitTermination(1, TimeUnit.MINUTES));
    assertEquals("late", late.get());

    ScheduledExecutorService abrupt = Environment.abruptScheduler("abrupt");
    Future<String> never = abrupt.schedule(() -> "never", 1, TimeUnit.HOURS);
    abrupt.shutdown();
    assertTrue(abrupt.awaitTermination(1, TimeUnit.MINUTES));
    assertThrows(CancellationException.class, never::get);

    ScheduledExecutorService waiting = Environment.scheduler("waiting");
    Future<?> far = waiting.schedule(() -> {}, 1, TimeUnit.HOURS);
    waiting.shutdown();
    assertFalse(waiting.awaitTermination(1, TimeUnit.MILLISECONDS));
    far.cancel(false);
    assertTrue(waiting.awaitTermination(1, TimeUnit.MINUTES));

    ScheduledExecutorService now = Environment.scheduler("now");
    now.schedule(() -> {}, 1, TimeUnit.HOURS);
    assertEquals(1, now.shutdownNow().size());
    assertTrue(now.awaitTermination(1, TimeUnit.MINUTES));

    ScheduledExecutorService periodic = Environment.scheduler("periodic");
    Future<?> endless = periodic.scheduleWithFixedDelay(() -> {}, 1, 1, TimeUnit.HOURS);
    periodic.shutdown();
    assertTrue(endless.isCancelled());
    assertTrue(periodic.awaitTermination(1, TimeUnit.MINUTES));
  }
}
