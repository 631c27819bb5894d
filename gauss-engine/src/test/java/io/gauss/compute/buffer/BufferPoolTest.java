package io.gauss.compute.buffer;

import static io.gauss.common.invariant.InvariantsHold.expectBroken;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.compute.engine.MemoryLogStream;
import io.gauss.compute.engine.MemoryPageStore;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.log.LogSettings;
import io.gauss.compute.log.Pages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.wait.WouldBlockException;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
  private static final int AT = 500;

  private static long page(int number) {
    return PageId.of(9, number);
  }

  private static void write(TestEngine engine, EngineContext ctx, long id, long value) {
    engine.pool().pin(ctx, id);
    ctx.mtr().begin(200);
    try (PageGuard guard = new PageGuard()) {
      engine.pool().write(ctx, id, guard);
      Pages.format(ctx.mtr(), guard);
      Pages.write(ctx.mtr(), guard, AT, value);
      ctx.mtr().commit();
    }
    engine.pool().unpin(id);
  }

  private static long read(TestEngine engine, EngineContext ctx, long id) {
    try (PageGuard guard = new PageGuard()) {
      engine.pool().read(ctx, id, guard);
      return Memory.getLong(guard.address() + AT);
    }
  }

  @Test
  void whatWasEvictedIsReadBackAsItWas() {
    try (TestEngine engine = new TestEngine(8)) {
      EngineContext ctx = engine.newContext();
      for (int i = 0; i < 100; i++) {
        write(engine, ctx, page(i), i * 7L);
      }
      for (int i = 0; i < 100; i++) {
        assertEquals(i * 7L, read(engine, ctx, page(i)));
      }
      assertTrue(engine.pool().evictions() >= 100);
    }
  }

  @Test
  void aPageThatWasNeverWrittenReadsAsZero() {
    try (TestEngine engine = new TestEngine(8)) {
      assertEquals(0, read(engine, engine.newContext(), page(1)));
    }
  }

  @Test
  void onAnEventLoopAMissIsRefusedAndAHitIsNot() {
    try (TestEngine engine = new TestEngine(8);
        PageGuard guard = new PageGuard()) {
      EngineContext ctx = engine.newContext();
      read(engine, ctx, page(1));
      ctx.waits().mayBlock(false);
      engine.pool().read(ctx, page(1), guard);
      guard.close();
      assertThrows(WouldBlockException.class, () -> engine.pool().read(ctx, page(2), guard));
      assertFalse(guard.isHeld());
      assertEquals(0, ctx.latchesHeld());
    }
  }

  @Test
  void onAnEventLoopATakenLatchIsRefused() {
    try (TestEngine engine = new TestEngine(8);
        PageGuard held = new PageGuard();
        PageGuard guard = new PageGuard()) {
      engine.pool().write(engine.newContext(), page(1), held);
      EngineContext ctx = engine.newContext();
      ctx.waits().mayBlock(false);
      assertThrows(WouldBlockException.class, () -> engine.pool().read(ctx, page(1), guard));
      assertThrows(WouldBlockException.class, () -> engine.pool().write(ctx, page(1), guard));
      assertFalse(engine.pool().tryRead(ctx, page(1), guard));
    }
  }

  @Test
  void aMissUnderALatchIsFoundAsABreakOfLawFour() {
    try (TestEngine engine = new TestEngine(8);
        PageGuard held = new PageGuard();
        PageGuard guard = new PageGuard()) {
      EngineContext ctx = engine.newContext();
      engine.pool().read(ctx, page(1), held);
      expectBroken(() -> engine.pool().read(ctx, page(2), guard));
    }
  }

  @Test
  void pinnedPagesStayAndAPoolFullOfThemFailsWithAClearError() {
    MemoryLogStream stream = new MemoryLogStream(1);
    MemoryPageStore store = new MemoryPageStore();
    try (LogBuffer log =
        new LogBuffer(LogSettings.ofRing(1 << 16), new LamportClock(1, 0), stream, 1)) {
      BufferPool pool = new BufferPool(new PoolSettings(8, Duration.ofMillis(20)), store, log);
      EngineContext ctx = new EngineContext(log);
      for (int i = 0; i < 8; i++) {
        pool.pin(ctx, page(i));
      }
      GaussException error = assertThrows(GaussException.class, () -> pool.pin(ctx, page(8)));
      assertEquals(SqlState.OUT_OF_MEMORY, error.state());
      pool.unpin(page(3));
      pool.pin(ctx, page(8));
      expectBroken(() -> pool.unpin(page(3)));
    }
  }

  @Test
  void aFailedLoadIsReportedAndTriedAgainByTheNext() {
    try (TestEngine engine = new TestEngine(8)) {
      EngineContext ctx = engine.newContext();
      write(engine, ctx, page(1), 5);
      engine.quiesce();
      for (int i = 10; i < 40; i++) {
        read(engine, ctx, page(i));
      }
      engine
          .store()
          .beforeRead(
              () -> {
                throw new GaussException(SqlState.DATA_CORRUPTED, "bad checksum");
              });
      GaussException error = assertThrows(GaussException.class, () -> read(engine, ctx, page(1)));
      assertEquals(SqlState.DATA_CORRUPTED, error.state());
      engine.store().beforeRead(() -> {});
      assertEquals(5, read(engine, ctx, page(1)));
    }
  }

  @Test
  void aWriterWaitsForReadersAndIsWoken() throws InterruptedException {
    try (TestEngine engine = new TestEngine(8);
        PageGuard held = new PageGuard()) {
      EngineContext reader = engine.newContext();
      engine.pool().read(reader, page(1), held);
      CountDownLatch done = new CountDownLatch(1);
      Thread writer =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (PageGuard guard = new PageGuard()) {
                      engine.pool().write(engine.newContext(), page(1), guard);
                      done.countDown();
                    }
                  });
      while (writer.getState() != Thread.State.WAITING
          && writer.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      held.close();
      done.await();
      writer.join();
      assertEquals(1, engine.pool().latchWaits().count());
    }
  }

  /**
   * Nobody pins a page that is read ahead. In the moment of its arrival it was evicted, and its
   * frame became another page's, whose load the arrival then ended: who had waited for that one
   * found a page that was not there yet, and had it loaded a second time over what had been written
   * to it since.
   */
  @Test
  void aPageReadAheadThatArrivesEndsNoLoadButItsOwn() throws InterruptedException {
    try (TestEngine engine = new TestEngine(8)) {
      BufferPool pool = engine.pool();
      EngineContext ctx = engine.newContext();
      write(engine, ctx, page(2), 77);
      for (int i = 0; i < 30; i++) {
        write(engine, ctx, PageId.of(8, i), i);
      }
      engine.quiesce(); // a page that is not durable gives no frame
      AtomicReference<Thread> reader = new AtomicReference<>();
      Semaphore reads = new Semaphore(0);
      engine.store().asynchronous(true);
      engine
          .store()
          .beforeRead(
              () -> {
                reads.acquireUninterruptibly();
                reader.set(Thread.currentThread());
              });
      try {
        pool.prefetch(new long[] {page(1)}, 1);
        Object stripe = pool.stripe(page(1));
        synchronized (stripe) {
          reads.release();
          awaitBlockedBy(stripe, reader);
          pool.forgetSpace(9); // the frame that is freed last is the next to be used
          pool.prefetch(new long[] {page(2)}, 1);
        }
        while (isLoading(pool, page(1))) {
          Thread.sleep(1);
        }
        assertTrue(isLoading(pool, page(2)));
        reads.release();
        assertEquals(77, read(engine, ctx, page(2)));
      } finally {
        engine.store().beforeRead(() -> {});
        reads.release(8);
      }
    }
  }

  private static boolean isLoading(BufferPool pool, long page) {
    return IntStream.range(0, pool.frameCount())
        .mapToObj(frame -> pool.loadOf(page, frame))
        .anyMatch(load -> load != null && load.pageId() == page);
  }

  private static void awaitBlockedBy(Object monitor, AtomicReference<Thread> thread)
      throws InterruptedException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    while (true) {
      LockInfo lock =
          thread.get() == null
              ? null
              : threads.getThreadInfo(thread.get().threadId()).getLockInfo();
      if (lock != null && lock.getIdentityHashCode() == System.identityHashCode(monitor)) {
        return;
      }
      Thread.sleep(1);
    }
  }

  @Test
  void prefetchedPagesAreHits() {
    try (TestEngine engine = new TestEngine(32)) {
      EngineContext ctx = engine.newContext();
      engine.pool().prefetch(new long[] {page(1), page(2), page(3)}, 3);
      long misses = ctx.pages().misses();
      read(engine, ctx, page(1));
      read(engine, ctx, page(3));
      assertEquals(misses, ctx.pages().misses());
    }
  }
}
