package io.gauss.compute.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.buffer.PoolSettings;
import io.gauss.compute.log.LogSettings;
import io.gauss.compute.log.Pages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.MetaPage;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.disk.SimulatedDisk;
import io.gauss.storage.local.LocalStorage;
import io.gauss.storage.local.log.LocalLogStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class EngineTest {
  private static final int COUNTER = 200;
  private static final int PAGES = 40;

  @TempDir private Path directory;

  private static EngineSettings settings(int frames) {
    return new EngineSettings(
        1,
        PoolSettings.ofFrames(frames),
        LogSettings.ofRing(1 << 18),
        1L << 40,
        Duration.ofHours(1),
        1 << 20,
        16 << 20,
        256L << 20);
  }

  private static int createCounters(Engine engine) {
    EngineContext ctx = engine.newContext();
    int space = engine.spaces().create(ctx);
    for (int i = 1; i <= PAGES; i++) {
      int number = engine.spaces().reserve(ctx, space);
      assertEquals(i, number);
      long id = PageId.of(space, number);
      ctx.mtr().begin(200);
      try (PageGuard guard = new PageGuard()) {
        engine.pool().write(ctx, id, guard);
        Pages.format(ctx.mtr(), guard);
        ctx.mtr().commit();
      }
      engine.pool().unpin(id);
    }
    engine.log().awaitDurable(ctx, engine.log().reservedLsn());
    return space;
  }

  private static long increment(Engine engine, EngineContext ctx, PageGuard guard, long id) {
    engine.pool().pin(ctx, id);
    try {
      ctx.mtr().begin(100);
      engine.pool().write(ctx, id, guard);
      Pages.write(ctx.mtr(), guard, COUNTER, Memory.getLong(guard.address() + COUNTER) + 1);
      return ctx.mtr().commit();
    } finally {
      guard.close();
      ctx.mtr().abandon();
      engine.pool().unpin(id);
    }
  }

  private static long counter(Engine engine, EngineContext ctx, int space, int number) {
    try (PageGuard guard = new PageGuard()) {
      engine.pool().read(ctx, PageId.of(space, number), guard);
      return Memory.getLong(guard.address() + COUNTER);
    }
  }

  @Test
  void aDatabaseIsThereAgainAfterClosingIt() {
    int space;
    try (Engine engine = Engine.openLocal(directory, settings(64))) {
      space = createCounters(engine);
      EngineContext ctx = engine.newContext();
      PageGuard guard = new PageGuard();
      for (int i = 0; i < 5000; i++) {
        increment(engine, ctx, guard, PageId.of(space, 1 + i % PAGES));
      }
      engine.spaces().meta().set(ctx, MetaPage.Value.CATALOG_NUMBERS, 77);
      engine.checkers().forEach(checker -> checker.check(ctx));
    }
    try (Engine engine = Engine.openLocal(directory, settings(16))) {
      EngineContext ctx = engine.newContext();
      assertTrue(engine.spaces().exists(space));
      assertEquals(77, engine.spaces().meta().get(ctx, MetaPage.Value.CATALOG_NUMBERS));
      for (int i = 1; i <= PAGES; i++) {
        assertEquals(5000 / PAGES, counter(engine, ctx, space, i));
      }
    }
  }

  @Test
  void aDirectoryInUseIsRefused() {
    Engine engine = Engine.openLocal(directory, settings(16));
    GaussException error =
        assertThrows(GaussException.class, () -> Engine.openLocal(directory, settings(16)));
    assertEquals(SqlState.OBJECT_IN_USE, error.state());
    engine.close();
    Engine.openLocal(directory, settings(16)).close();
  }

  @Test
  void checkpointsTrimTheLogAndTheClockGoesOn() {
    long lsn;
    try (Engine engine = Engine.openLocal(directory, settings(32))) {
      createCounters(engine);
      assertTrue(engine.storage().settle());
      assertEquals(engine.storage().stream().durableOffset(), engine.storage().checkpointOffset());
      lsn = engine.log().reservedLsn();
    }
    try (Engine engine = Engine.openLocal(directory, settings(32))) {
      assertTrue(engine.clock().now() >= lsn);
      assertTrue(engine.log().durableLsn() >= lsn);
    }
  }

  @Test
  @Timeout(300)
  void aPageStoreThatDoesNotFollowTheLogRefusesWritersAndIsTold() {
    MemoryPageStore store = new MemoryPageStore();
    LocalLogStream stream =
        LocalLogStream.open(
            new SimulatedDisk(), 1, io.gauss.storage.local.log.LogSettings.defaults());
    try (Engine engine = Engine.open(settings(32), storage(stream, store))) {
      int space = createCounters(engine);
      engine.health().look();
      assertEquals("UP", engine.health().state());
      store.beforeApply(
          () -> {
            throw new IllegalStateException("a broken record");
          });
      EngineContext ctx = engine.newContext();
      PageGuard guard = new PageGuard();
      assertThrows(
          GaussException.class,
          () -> {
            while (true) {
              increment(engine, ctx, guard, PageId.of(space, 1));
            }
          });
      engine.health().look();
      assertTrue(
          engine.health().state().contains("the page store does not follow the log since offset"),
          engine.health().state());
    }
  }

  /**
   * Law 1 (do = redo) and durability over power failures: what was acknowledged is there, pages
   * fold to what they were.
   */
  @Test
  void acknowledgedChangesSurvivePowerFailures() throws InterruptedException {
    Random random = new Random(Seeds.next());
    SimulatedDisk disk = new SimulatedDisk();
    Engine engine = open(disk, random);
    int space = createCounters(engine);
    AtomicLongArray acknowledged = new AtomicLongArray(PAGES + 1);
    AtomicLongArray written = new AtomicLongArray(PAGES + 1);
    for (int round = 0; round < 10; round++) {
      List<Thread> writers = new ArrayList<>();
      for (int w = 0; w < 4; w++) {
        Engine current = engine;
        int page = w;
        long seed = random.nextLong();
        writers.add(
            Thread.ofVirtual()
                .start(() -> writeUntilFailure(current, space, page, seed, acknowledged, written)));
      }
      LockSupport.parkNanos(1_000_000L * (2 + random.nextInt(20)));
      if (random.nextBoolean()) {
        disk.kill();
      } else {
        disk.losePower(random, random.nextDouble());
      }
      for (Thread writer : writers) {
        writer.join();
      }
      engine.close();
      engine = open(disk, random);
      EngineContext ctx = engine.newContext();
      for (int i = 1; i <= PAGES; i++) {
        long now = counter(engine, ctx, space, i);
        assertTrue(
            now >= acknowledged.get(i) && now <= written.get(i),
            "page " + i + " has " + now + " of acknowledged " + acknowledged.get(i));
        acknowledged.set(i, now);
        written.set(i, now);
      }
      engine.checkers().forEach(checker -> checker.check(ctx));
    }
    engine.close();
  }

  /** Each writer has its own pages, so that the twin needs no locks. */
  private static void writeUntilFailure(
      Engine engine,
      int space,
      int writer,
      long seed,
      AtomicLongArray acknowledged,
      AtomicLongArray written) {
    Random random = new Random(seed);
    EngineContext ctx = engine.newContext();
    PageGuard guard = new PageGuard();
    try {
      while (true) {
        int page = 1 + writer + 4 * random.nextInt(PAGES / 4);
        long lsn = increment(engine, ctx, guard, PageId.of(space, page));
        long count = written.incrementAndGet(page);
        if (random.nextInt(3) == 0) {
          engine.log().awaitDurable(ctx, lsn);
          acknowledged.set(page, count);
        }
      }
    } catch (GaussException e) {
      assertEquals(SqlState.IO_ERROR, e.state());
    }
  }

  private static Engine open(SimulatedDisk disk, Random random) {
    LocalLogStream stream =
        LocalLogStream.open(
            disk,
            1,
            io.gauss.storage.local.log.LogSettings.defaults()
                .withSegmentBytes(1 << 16)
                .withDirectAppend(random.nextBoolean()));
    PageStore store = new MemoryPageStore(2_000_000_000L);
    return Engine.open(settings(32 + random.nextInt(32)), storage(stream, store));
  }

  private static LocalStorage storage(LogStream stream, PageStore store) {
    return LocalStorage.of(stream, store, new LocalStorage.Settings(1L << 40, Duration.ofHours(1)));
  }
}
