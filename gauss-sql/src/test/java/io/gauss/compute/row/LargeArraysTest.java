package io.gauss.compute.row;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.type.ValueKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LargeArraysTest {
  private static final int BYTES = 1000;

  private final LargeArrays arrays = new LargeArrays(2 * BYTES);
  private final List<byte[]> kept = new ArrayList<>();

  private LargeArrays.Counted allocate() {
    arrays.reserve(BYTES);
    kept.add(new byte[BYTES]);
    return arrays.count(kept.getLast());
  }

  private void assertFull() {
    GaussException e = assertThrows(GaussException.class, this::allocate);
    assertEquals(SqlState.OUT_OF_MEMORY, e.state());
  }

  @Test
  void theyAreBoundedTogether() {
    LargeArrays.Counted first = allocate();
    allocate();
    assertFull();
    assertFull();
    first.release();
    first.release(); // once counts
    allocate();
    assertFull();
  }

  @Test
  void thoseThatHaveBeenCollectedDoNotCount() {
    LargeArrays.Counted first = allocate();
    allocate();
    first.enqueue(); // as the garbage collector does it
    allocate();
    assertFull();
  }

  @Test
  void garbageIsLookedForBeforeAnArrayIsRefused() {
    for (int i = 0; i < 10; i++) {
      allocate();
      kept.clear();
    }
  }

  /** A thread of the JVM's queues references, and may not get to that for a while. */
  @Test
  void whatWasCollectedNeedNotBeQueuedYet() {
    List<LargeArrays.Counted> garbage = new ArrayList<>();
    LargeArrays full = new LargeArrays(BYTES, () -> garbage.forEach(LargeArrays.Counted::clear));
    full.reserve(BYTES);
    kept.add(new byte[BYTES]);
    garbage.add(full.count(kept.getLast()));
    full.reserve(BYTES);
    assertThrows(GaussException.class, () -> full.reserve(BYTES));
  }

  /** A full collection stops the whole node. */
  @Test
  void manyRefusalsAtATimeDoNotCollectOneByOne() throws Exception {
    int sessions = 8;
    List<Thread> others = new ArrayList<>();
    AtomicInteger collections = new AtomicInteger();
    LargeArrays full =
        new LargeArrays(
            BYTES,
            () -> {
              if (collections.incrementAndGet() == 1) {
                others.forEach(Thread::start);
                others.forEach(LargeArraysTest::awaitBlocked);
              }
            });
    full.reserve(BYTES);
    for (int i = 0; i < sessions; i++) {
      others.add(
          Thread.ofPlatform()
              .unstarted(() -> assertThrows(GaussException.class, () -> full.reserve(BYTES))));
    }
    assertThrows(GaussException.class, () -> full.reserve(BYTES));
    for (Thread other : others) {
      other.join();
    }
    assertEquals(2, collections.get(), "one that they have missed, and one for all of them");
  }

  /** Until it waits for its turn; it may be blocked before, while classes are loaded. */
  private static void awaitBlocked(Thread thread) {
    while (thread.getState() != Thread.State.BLOCKED || !isIn(thread, "isEnoughGarbage")) {
      Thread.onSpinWait();
    }
  }

  private static boolean isIn(Thread thread, String method) {
    StackTraceElement[] stack = thread.getStackTrace();
    return stack.length > 0 && stack[0].getMethodName().equals(method);
  }

  /** What is given back in the pause after a collection in vain counts at once. */
  @Test
  void afterACollectionInVainRoomIsWaitedForBeforeTheNext() throws Exception {
    AtomicInteger collections = new AtomicInteger();
    LargeArrays full =
        new LargeArrays(
            BYTES,
            () -> {
              collections.incrementAndGet();
              Environment.parkNanos(TimeUnit.SECONDS.toNanos(1));
            });
    full.reserve(BYTES);
    assertThrows(GaussException.class, () -> full.reserve(BYTES));
    Thread next = Thread.ofPlatform().start(() -> full.reserve(BYTES));
    while (next.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    full.giveBack(BYTES);
    next.join();
    assertEquals(1, collections.get());
  }

  /** Other sessions have nearly all of the room. */
  @Test
  void columnsAskForRoom() {
    long others = Runtime.getRuntime().maxMemory() / 2 - LargeArrays.LEAST_COUNTED;
    ColumnVector column = new ColumnVector(ValueKind.BYTES);
    LargeArrays.OF_PROCESS.reserve(others);
    try {
      GaussException e =
          assertThrows(
              GaussException.class, () -> column.reserveBytes(0, 2 * LargeArrays.LEAST_COUNTED));
      assertEquals(SqlState.OUT_OF_MEMORY, e.state());
    } finally {
      LargeArrays.OF_PROCESS.giveBack(others);
    }
    column.reserveBytes(0, 2 * LargeArrays.LEAST_COUNTED);
  }
}
