package io.gauss.common.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What the environment promises, on the JVM. */
class EnvironmentTest {
  @Test
  void aWaitEndsWithItsConditionItsTimeOrAnInterrupt() throws Exception {
    AtomicBoolean open = new AtomicBoolean();
    CompletableFuture<Boolean> seen = new CompletableFuture<>();
    Thread waiting =
        Environment.start(
            "waits",
            () -> seen.complete(Environment.await(this, Long.MAX_VALUE, () -> open.get())));
    open.set(true);
    LockSupport.unpark(waiting);
    assertTrue(seen.get());
    assertFalse(Environment.await(this, 1_000_000, () -> false));
    Thread.currentThread().interrupt();
    assertFalse(Environment.await(this, Long.MAX_VALUE, () -> false));
    assertTrue(Thread.interrupted(), "an interrupt stays");
  }

  @Test
  void aFutureIsWaitedForAsByTheJdk() throws Exception {
    CompletableFuture<Integer> future = new CompletableFuture<>();
    assertThrows(TimeoutException.class, () -> Environment.get(future, 1, TimeUnit.MILLISECONDS));
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> Environment.get(future, 1, TimeUnit.HOURS));
    assertFalse(Thread.interrupted(), "the exception has taken the interrupt");
    Environment.startVirtual("completes", () -> future.complete(5));
    assertEquals(5, Environment.get(future, 1, TimeUnit.HOURS));
    CompletableFuture<Integer> failed = CompletableFuture.failedFuture(new RuntimeException("x"));
    assertThrows(ExecutionException.class, () -> Environment.get(failed, 1, TimeUnit.HOURS));
  }

  @Test
  void aQueueIsWaitedForAsByTheJdk() throws Exception {
    BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
    assertNull(Environment.poll(queue, 1, TimeUnit.MILLISECONDS));
    Environment.startVirtual("offers", () -> queue.add(7));
    assertEquals(7, Environment.poll(queue, 1, TimeUnit.HOURS));
  }

  @Test
  void delayedTasksOutliveAShutdownUnlessTheSchedulerIsAbrupt() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    ScheduledExecutorService patient = Environment.scheduler("patient");
    patient.schedule(ran::countDown, 1, TimeUnit.MILLISECONDS);
    patient.shutdown();
    ran.await();
    ScheduledExecutorService abrupt = Environment.abruptScheduler("abrupt");
    Future<?> dropped = abrupt.schedule(() -> {}, 1, TimeUnit.HOURS);
    abrupt.shutdown();
    assertTrue(abrupt.awaitTermination(1, TimeUnit.HOURS));
    assertTrue(dropped.isCancelled());
  }

  @Test
  void whatIsToComeLaterCanBeCancelled() throws Exception {
    CompletableFuture<Boolean> virtual = new CompletableFuture<>();
    Environment.after(
        1,
        TimeUnit.MILLISECONDS,
        "later",
        () -> virtual.complete(Thread.currentThread().isVirtual()));
    assertTrue(virtual.get());
    assertTrue(Environment.after(1, TimeUnit.HOURS, "never", () -> {}).cancel(false));
  }

  @Test
  void aJoinOutlastsInterrupts() {
    CountDownLatch end = new CountDownLatch(1);
    Thread thread =
        Environment.start(
            "ends",
            () -> {
              try {
                end.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    assertFalse(Environment.join(thread, 1_000_000));
    Environment.after(1, TimeUnit.MILLISECONDS, "opens", end::countDown);
    Thread.currentThread().interrupt();
    assertTrue(Environment.join(thread, Long.MAX_VALUE));
    assertTrue(Thread.interrupted());
  }
}
