package io.gauss.compute.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.buffer.PoolSettings;
import io.gauss.compute.log.LogSettings;
import io.gauss.compute.log.Pages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.storage.disk.SimulatedDisk;
import io.gauss.storage.local.LocalStorage;
import io.gauss.storage.local.log.LocalLogStream;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PageStoreSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The engine dies at a named point; what was acknowledged is there afterwards and every checker
 * agrees.
 */
class CrashPointsTest {
  private static final int COUNTER = 200;
  private static final int PAGES = 60;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "log.before-append",
        "log.after-append",
        "buffer.evict",
        "checkpoint.begin",
        "checkpoint.before-trim"
      })
  void nothingAcknowledgedIsLost(String point) {
    Random random = new Random(Seeds.next());
    SimulatedDisk disk = new SimulatedDisk();
    Engine engine = open(disk);
    int space = createCounters(engine);
    long[] acknowledged = new long[PAGES + 1];
    long[] written = new long[PAGES + 1];
    for (int round = 0; round < 3; round++) {
      AtomicInteger hits = new AtomicInteger(1 + random.nextInt(20));
      try (FaultPoints.Armed armed =
          FaultPoints.arm(
              point,
              () -> {
                if (hits.decrementAndGet() == 0) {
                  disk.losePower(random, 0.5);
                }
              })) {
        Engine running = engine;
        assertThrows(
            GaussException.class,
            () -> writeUntilFailure(running, space, random, acknowledged, written));
      }
      engine.close();
      engine = open(disk);
      EngineContext ctx = engine.newContext();
      for (int page = 1; page <= PAGES; page++) {
        long now = counter(engine, ctx, space, page);
        assertTrue(
            now >= acknowledged[page] && now <= written[page],
            "page " + page + " has " + now + " of acknowledged " + acknowledged[page]);
        acknowledged[page] = now;
        written[page] = now;
      }
      engine.checkers().forEach(checker -> checker.check(ctx));
    }
    engine.close();
  }

  @org.junit.jupiter.api.Test
  void aCrashDuringRedoIsRedoneFromTheBeginning() {
    SimulatedDisk disk = new SimulatedDisk();
    Engine engine = open(disk);
    int space = createCounters(engine);
    EngineContext ctx = engine.newContext();
    for (int i = 0; i < 300; i++) {
      long lsn = increment(engine, ctx, PageId.of(space, 1 + i % PAGES));
      if (i % 10 == 0) {
        engine.log().awaitDurable(ctx, lsn);
      }
    }
    engine.log().awaitDurable(ctx, engine.log().reservedLsn());
    disk.kill();
    Engine killed = engine;
    GaussException failed =
        assertThrows(
            GaussException.class,
            () -> killed.log().awaitDurable(ctx, increment(killed, ctx, PageId.of(space, 1))));
    assertEquals(io.gauss.common.error.SqlState.IO_ERROR, failed.state());
    engine.close();
    AtomicInteger batches = new AtomicInteger(5);
    try (FaultPoints.Armed armed =
        FaultPoints.arm(
            "redo.batch",
            () -> {
              if (batches.decrementAndGet() == 0) {
                throw new IllegalStateException("crash in redo");
              }
            })) {
      assertThrows(IllegalStateException.class, () -> open(disk));
    }
    try (Engine again = open(disk)) {
      EngineContext after = again.newContext();
      for (int page = 1; page <= PAGES; page++) {
        assertEquals(300 / PAGES, counter(again, after, space, page));
      }
      again.checkers().forEach(checker -> checker.check(after));
    }
  }

  private void writeUntilFailure(
      Engine engine, int space, Random random, long[] acknowledged, long[] written) {
    EngineContext ctx = engine.newContext();
    for (int step = 0; step < 20_000; step++) {
      int page = 1 + random.nextInt(PAGES);
      long lsn = increment(engine, ctx, PageId.of(space, page));
      written[page]++;
      if (random.nextInt(4) == 0) {
        engine.log().awaitDurable(ctx, lsn);
        acknowledged[page] = written[page];
      }
      if (step % 100 == 99) {
        engine.storage().checkpoint();
      }
    }
  }

  private static int createCounters(Engine engine) {
    EngineContext ctx = engine.newContext();
    int space = engine.spaces().create(ctx);
    for (int i = 1; i <= PAGES; i++) {
      long id = PageId.of(space, engine.spaces().reserve(ctx, space));
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

  private static long increment(Engine engine, EngineContext ctx, long id) {
    engine.pool().pin(ctx, id);
    try (PageGuard guard = new PageGuard()) {
      ctx.mtr().begin(100);
      engine.pool().write(ctx, id, guard);
      Pages.write(ctx.mtr(), guard, COUNTER, Memory.getLong(guard.address() + COUNTER) + 1);
      return ctx.mtr().commit();
    } finally {
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

  private Engine open(SimulatedDisk disk) {
    LocalLogStream stream =
        LocalLogStream.open(
            disk, 1, io.gauss.storage.local.log.LogSettings.defaults().withSegmentBytes(1 << 16));
    LocalPageStore store =
        LocalPageStore.open(
            directory.resolve("pages"),
            PageStoreSettings.defaults()
                .withMemory(1 << 20, 1 << 20, 1 << 20)
                .withReadTimeoutMillis(60_000));
    return Engine.open(
        new EngineSettings(
            1,
            PoolSettings.ofFrames(24),
            LogSettings.ofRing(1 << 16),
            1L << 40,
            Duration.ofHours(1),
            1 << 20,
            16 << 20,
            256L << 20),
        LocalStorage.of(stream, store, new LocalStorage.Settings(1L << 40, Duration.ofHours(1))));
  }
}
