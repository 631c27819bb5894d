package io.gauss.memory.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The thread that serves buckets. */
class BucketLoopTest {
  private static final BucketLoop.Background NOTHING = () -> false;

  @Test
  void tasksOfOneSenderRunInTheirOrderOnOneThread() {
    List<Integer> ran = new ArrayList<>(); // without a lock, like all state of loops
    try (BucketLoop loop = new BucketLoop("loop", 1024, NOTHING).start()) {
      for (int i = 0; i < 10_000; i++) {
        int number = i;
        while (!loop.offer(() -> ran.add(number))) {
          Thread.onSpinWait();
        }
      }
    }
    assertEquals(10_000, ran.size());
    for (int i = 0; i < 10_000; i++) {
      assertEquals(i, ran.get(i));
    }
  }

  @Test
  void aFullQueueIsToldAndClosingRunsWhatWasTaken() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch proceed = new CountDownLatch(1);
    List<Integer> ran = new ArrayList<>();
    BucketLoop loop = new BucketLoop("loop", 4, NOTHING).start();
    try (loop) {
      loop.execute(
          () -> {
            begun.countDown();
            awaitQuietly(proceed);
          });
      assertTrue(begun.await(60, TimeUnit.SECONDS));
      for (int i = 0; i < 4; i++) {
        int number = i;
        assertTrue(loop.offer(() -> ran.add(number)));
      }
      assertEquals(4, loop.waiting());
      assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> ran.add(4)));
      proceed.countDown();
    }
    assertEquals(List.of(0, 1, 2, 3), ran);
    assertFalse(loop.offer(() -> ran.add(-1)), "it is closed");
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aTaskThatFailsIsAProblemAndTheNextOnesRun() throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(1);
    try (BucketLoop loop = new BucketLoop("loop 7", 16, NOTHING).start()) {
      loop.execute(
          () -> {
            throw new IllegalStateException("broken");
          });
      loop.execute(ran::countDown);
      assertTrue(ran.await(60, TimeUnit.SECONDS));
      assertEquals("loop 7 has failed", loop.problems().getFirst().what());
    }
  }

  @Test
  void backgroundWorkIsDoneBetweenTasksAndWhileThereAreNone() throws InterruptedException {
    CountDownLatch steps = new CountDownLatch(100);
    BucketLoop.Background work =
        () -> {
          steps.countDown();
          return true;
        };
    try (BucketLoop loop = new BucketLoop("loop", 16, work).start()) {
      assertTrue(steps.await(60, TimeUnit.SECONDS));
      assertTrue(loop.problems().isEmpty());
    }
  }

  @Test
  void aTaskRunsOnItsCallersThreadWhileThereIsNothingElseToDo() {
    List<Thread> ran = new ArrayList<>();
    try (BucketLoop loop = new BucketLoop("loop", 16, NOTHING)) { // which has not started
      loop.runOrEnqueue(() -> ran.add(Thread.currentThread()));
      assertEquals(List.of(Thread.currentThread()), ran);
      loop.enqueue(() -> ran.add(Thread.currentThread()));
      loop.runOrEnqueue(() -> ran.add(Thread.currentThread()));
      assertEquals(1, ran.size(), "it is behind a task that waits");
      loop.start();
    }
    assertEquals(3, ran.size());
  }

  @Test
  void whateverThreadRunsThemTasksRunOneAtATimeInTheOrderOfTheirSender()
      throws InterruptedException {
    int senders = 3;
    int each = 20_000;
    List<List<Integer>> ran = new ArrayList<>(); // without a lock, like all state of loops
    int[] sum = new int[1];
    List<Thread> threads = new ArrayList<>();
    try (BucketLoop loop = new BucketLoop("loop", 1 << 20, NOTHING).start()) {
      for (int sender = 0; sender < senders; sender++) {
        List<Integer> own = new ArrayList<>();
        ran.add(own);
        boolean queuesSome = sender == 0;
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      for (int i = 0; i < each; i++) {
                        int number = i;
                        Runnable task =
                            () -> {
                              own.add(number);
                              sum[0]++;
                            };
                        if (queuesSome && i % 3 == 0) {
                          loop.enqueue(task);
                        } else {
                          loop.runOrEnqueue(task);
                        }
                      }
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertEquals(senders * each, sum[0]);
    ran.forEach(own -> assertEquals(IntStream.range(0, each).boxed().toList(), own));
  }
}
