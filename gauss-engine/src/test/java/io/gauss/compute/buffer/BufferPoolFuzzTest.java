package io.gauss.compute.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.log.Pages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.wait.WouldBlockException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads on few frames: every page is a counter, and the twin is an array of counters. */
@Timeout(300)
class BufferPoolFuzzTest {
  private static final int SPACE = 9;
  private static final int COUNTER = 128;

  @Test
  void countersAreExactWithTinyPoolsAndManyThreads() throws InterruptedException {
    long seed = Seeds.next();
    Random random = new Random(seed);
    for (int round = 0; round < 6; round++) {
      int threads = 2 + random.nextInt(12);
      int frames = Math.max(PoolSettings.MIN_FRAMES, 3 * threads) + random.nextInt(16);
      run(seed + round, frames, threads, 20 + random.nextInt(200), round % 2 == 0);
    }
  }

  private static void run(long seed, int frames, int threads, int pages, boolean virtual)
      throws InterruptedException {
    AtomicLongArray twin = new AtomicLongArray(pages);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (TestEngine engine = new TestEngine(frames)) {
      engine.store().asynchronous(true);
      format(engine, pages);
      List<Thread> workers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        Random own = new Random(seed * 31 + i);
        Runnable work =
            () -> {
              try {
                work(engine, own, pages, twin);
              } catch (Throwable e) {
                failure.compareAndSet(null, e);
              }
            };
        workers.add(
            virtual ? Thread.ofVirtual().start(work) : Thread.ofPlatform().daemon().start(work));
      }
      for (Thread worker : workers) {
        // Who failed may hold latches for which the others wait forever.
        while (!worker.join(Duration.ofMillis(100)) && failure.get() == null) {}
      }
      assertNull(failure.get(), () -> "a worker failed: " + stack(failure.get()));
      EngineContext ctx = engine.newContext();
      for (int i = 0; i < pages; i++) {
        assertEquals(twin.get(i), counter(engine, ctx, i), "page " + i);
      }
      engine.quiesce();
      engine.pagesChecker().check(ctx);
    }
  }

  private static String stack(Throwable e) {
    java.io.StringWriter out = new java.io.StringWriter();
    e.printStackTrace(new java.io.PrintWriter(out));
    return out.toString();
  }

  private static void format(TestEngine engine, int pages) {
    EngineContext ctx = engine.newContext();
    for (int i = 0; i < pages; i++) {
      long id = PageId.of(SPACE, i);
      engine.pool().pinFresh(ctx, id);
      ctx.mtr().begin(100);
      try (PageGuard guard = new PageGuard()) {
        engine.pool().write(ctx, id, guard);
        Pages.format(ctx.mtr(), guard);
        ctx.mtr().commit();
      }
      engine.pool().unpin(id);
    }
  }

  private static long counter(TestEngine engine, EngineContext ctx, int number) {
    try (PageGuard guard = new PageGuard()) {
      engine.pool().read(ctx, PageId.of(SPACE, number), guard);
      return Memory.getLong(guard.address() + COUNTER);
    }
  }

  private static void work(TestEngine engine, Random random, int pages, AtomicLongArray twin) {
    EngineContext ctx = engine.newContext();
    PageGuard first = new PageGuard();
    PageGuard second = new PageGuard();
    long[] ids = new long[3];
    for (int step = 0; step < 3000; step++) {
      int a = random.nextInt(pages);
      int b = random.nextInt(pages);
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          engine.pool().read(ctx, PageId.of(SPACE, a), first);
          assertEquals(PageId.of(SPACE, a), Memory.getLong(first.address() + PageLayout.PAGE_ID));
          first.close();
        }
        case 2 -> {
          ids[0] = PageId.of(SPACE, a);
          ids[1] = PageId.of(SPACE, b);
          ids[2] = PageId.of(SPACE, (a + b) % pages);
          engine.pool().prefetch(ids, 3);
        }
        case 3 -> {
          ctx.waits().mayBlock(false);
          try {
            engine.pool().read(ctx, PageId.of(SPACE, a), first);
            first.close();
          } catch (WouldBlockException e) {
            assertEquals(0, ctx.latchesHeld());
          } finally {
            ctx.waits().mayBlock(true);
          }
        }
        case 4 -> increment(engine, ctx, first, second, a, a, twin);
        default -> increment(engine, ctx, first, second, Math.min(a, b), Math.max(a, b), twin);
      }
      assertEquals(0, ctx.latchesHeld());
    }
    assertTrue(!first.isHeld() && !second.isHeld());
  }

  /** One MTR on one or two pages, latched in the order of their numbers. */
  private static void increment(
      TestEngine engine,
      EngineContext ctx,
      PageGuard first,
      PageGuard second,
      int low,
      int high,
      AtomicLongArray twin) {
    long lowId = PageId.of(SPACE, low);
    long highId = PageId.of(SPACE, high);
    engine.pool().pin(ctx, lowId);
    engine.pool().pin(ctx, highId);
    Mtr mtr = ctx.mtr();
    mtr.begin(200);
    engine.pool().write(ctx, lowId, first);
    add(mtr, first, twin, low);
    if (high != low) {
      engine.pool().write(ctx, highId, second);
      add(mtr, second, twin, high);
    }
    mtr.commit();
    second.close();
    first.close();
    engine.pool().unpin(lowId);
    engine.pool().unpin(highId);
  }

  private static void add(Mtr mtr, PageGuard guard, AtomicLongArray twin, int number) {
    long before = Memory.getLong(guard.address() + COUNTER);
    assertEquals(before, twin.getAndIncrement(number), "page " + number);
    Pages.write(mtr, guard, COUNTER, before + 1);
  }
}
