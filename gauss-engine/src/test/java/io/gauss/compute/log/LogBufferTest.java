package io.gauss.compute.log;

import static io.gauss.common.invariant.InvariantsHold.expectBroken;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.redo.MtrLayout;
import io.gauss.common.redo.RedoType;
import io.gauss.common.task.BackgroundTasks;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.buffer.PoolSettings;
import io.gauss.compute.engine.MemoryLogStream;
import io.gauss.compute.engine.MemoryPageStore;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.mtr.EngineContext;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class LogBufferTest {
  private static final int SPACE = 9;

  private static final Duration SOON = Duration.ofMillis(40);

  /** A log with a small ring, over memory. */
  private static final class Fixture implements AutoCloseable {
    final MemoryLogStream stream = new MemoryLogStream(1);
    final LogBuffer log;
    final BufferPool pool;
    final BackgroundTasks tasks = new BackgroundTasks();

    Fixture(boolean waiterSends) {
      this(waiterSends, Duration.ofMinutes(1)); // a busy machine stands still for a while
    }

    /** One whose writers are refused after so long without progress. */
    Fixture(boolean waiterSends, Duration stall) {
      LogSettings settings =
          new LogSettings(
              1 << 16,
              1 << 12,
              1,
              8,
              Duration.ofNanos(200_000),
              Duration.ofMillis(2),
              Duration.ofMillis(2),
              stall,
              waiterSends);
      log = new LogBuffer(settings, new LamportClock(1, 0), stream, 1);
      tasks.every("log-watch", log.watchInterval(), log::watch);
      pool = new BufferPool(PoolSettings.ofFrames(64), new MemoryPageStore(), log);
    }

    EngineContext newContext() {
      return new EngineContext(log);
    }

    /** Commits an MTR of one format record and a write of so many bytes. */
    long write(EngineContext ctx, PageGuard guard, int page, byte[] bytes) {
      long id = PageId.of(SPACE, page);
      pool.pin(ctx, id);
      try {
        ctx.mtr().begin(200 + bytes.length);
        pool.write(ctx, id, guard);
        Pages.format(ctx.mtr(), guard);
        ctx.mtr().startRecord(guard, RedoType.WRITE);
        ctx.mtr().putShort(128);
        ctx.mtr().putBytes(bytes, 0, bytes.length);
        ctx.mtr().endRecord();
        ctx.mtr().commit();
        return ctx.mtr().lsnOf(1);
      } finally {
        guard.close();
        ctx.mtr().abandon();
        pool.unpin(id);
      }
    }

    /** Also when the log counts as stalled for a while, since the machine stands still. */
    void writeAndAwait(EngineContext ctx, PageGuard guard) {
      long lsn = 0;
      while (lsn == 0 || log.durableLsn() < lsn || log.refusal() != null) {
        try {
          lsn = lsn == 0 ? write(ctx, guard, 1, new byte[10]) : lsn;
          log.awaitDurable(ctx, lsn);
        } catch (GaussException e) {
          assertEquals(SqlState.CANNOT_CONNECT_NOW, e.state());
        }
        LockSupport.parkNanos(100_000);
      }
    }

    @Override
    public void close() {
      tasks.close();
      log.close();
    }
  }

  @Test
  void theStreamHoldsEveryMtrOnceInTheOrderOfLsns() throws InterruptedException {
    for (boolean waiterSends : new boolean[] {false, true}) {
      streamHoldsAll(Seeds.next(), waiterSends);
    }
  }

  private static void streamHoldsAll(long seed, boolean waiterSends) throws InterruptedException {
    Map<Long, byte[]> twin = new ConcurrentHashMap<>(); // LSN of the write record -> bytes
    AtomicReference<Throwable> failure = new AtomicReference<>();
    MemoryLogStream stream;
    try (Fixture fixture = new Fixture(waiterSends)) {
      stream = fixture.stream;
      stream.beforeAppend(() -> LockSupport.parkNanos(20_000));
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 10; t++) {
        int page = t;
        Random random = new Random(seed + t);
        Runnable work =
            () -> {
              try {
                writeMany(fixture, random, page, twin);
              } catch (Throwable e) {
                failure.compareAndSet(null, e);
              }
            };
        threads.add(t % 2 == 0 ? Thread.ofVirtual().start(work) : Thread.ofPlatform().start(work));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertNull(failure.get(), () -> "a writer failed: " + failure.get());
    checkStream(stream.content(), twin);
  }

  private static void writeMany(Fixture fixture, Random random, int page, Map<Long, byte[]> twin) {
    EngineContext ctx = fixture.newContext();
    PageGuard guard = new PageGuard();
    for (int i = 0; i < 500; i++) {
      byte[] bytes = new byte[random.nextInt(20) == 0 ? random.nextInt(7000) : random.nextInt(60)];
      random.nextBytes(bytes);
      long lsn = fixture.write(ctx, guard, page, bytes);
      twin.put(lsn, bytes);
      if (random.nextInt(4) == 0) {
        fixture.log.awaitDurable(ctx, lsn);
        assertTrue(fixture.log.durableLsn() >= lsn);
      }
    }
  }

  private static void checkStream(byte[] content, Map<Long, byte[]> twin) {
    ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    long last = 0;
    int at = 0;
    while (at < content.length) {
      long base = bytes.getLong(at + MtrLayout.BASE_LSN);
      assertTrue(base > last, "law 5: LSNs rise with offsets");
      assertEquals(2, bytes.getShort(at + MtrLayout.COUNT));
      int record = at + MtrLayout.HEADER_BYTES;
      record += Short.toUnsignedInt(bytes.getShort(record + MtrLayout.RECORD_LENGTH));
      int length = Short.toUnsignedInt(bytes.getShort(record + MtrLayout.RECORD_LENGTH));
      byte[] payload = new byte[length - MtrLayout.RECORD_HEADER_BYTES - 2];
      bytes.get(record + MtrLayout.RECORD_HEADER_BYTES + 2, payload);
      last = base + Lsn.STEP;
      assertEquals(ByteBuffer.wrap(twin.remove(last)), ByteBuffer.wrap(payload));
      at += bytes.getInt(at + MtrLayout.LENGTH);
    }
    assertTrue(twin.isEmpty(), "lost MTRs: " + twin.size());
  }

  @Test
  void callbacksComeInTheOrderOfLsns() throws InterruptedException {
    try (Fixture fixture = new Fixture(false)) {
      EngineContext ctx = fixture.newContext();
      PageGuard guard = new PageGuard();
      List<Long> told = new ArrayList<>();
      CountDownLatch all = new CountDownLatch(200);
      List<Long> lsns = new ArrayList<>();
      fixture.stream.hold();
      for (int i = 0; i < 200; i++) {
        lsns.add(fixture.write(ctx, guard, 1, new byte[10]));
      }
      for (int i = 199; i >= 0; i--) {
        long lsn = lsns.get(i);
        fixture.log.whenDurable(
            lsn,
            error -> {
              assertNull(error);
              assertTrue(fixture.log.durableLsn() >= lsn);
              synchronized (told) {
                told.add(lsn);
              }
              all.countDown();
            });
      }
      assertEquals(List.of(), told);
      fixture.stream.release();
      all.await();
      assertEquals(lsns, told);
    }
  }

  @Test
  void aFullDiskRefusesWritersUntilThereIsRoomAndLosesNothing() {
    try (Fixture fixture = new Fixture(false)) {
      EngineContext ctx = fixture.newContext();
      PageGuard guard = new PageGuard();
      fixture.log.awaitDurable(ctx, fixture.write(ctx, guard, 1, new byte[10]));
      fixture.stream.full(true);
      long pending = fixture.write(ctx, guard, 1, new byte[10]);
      GaussException waiting =
          assertThrows(GaussException.class, () -> fixture.log.awaitDurable(ctx, pending));
      assertEquals(SqlState.DISK_FULL, waiting.state());
      GaussException writing =
          assertThrows(GaussException.class, () -> fixture.write(ctx, guard, 1, new byte[10]));
      assertEquals(SqlState.DISK_FULL, writing.state());
      // Rolling back continues.
      ctx.mtr().beginRollback(100);
      ctx.mtr().abandon();
      fixture.stream.full(false);
      while (fixture.log.refusal() != null) {
        LockSupport.parkNanos(100_000);
      }
      assertTrue(fixture.log.durableLsn() >= pending);
      fixture.log.awaitDurable(ctx, fixture.write(ctx, guard, 1, new byte[10]));
    }
  }

  @Test
  void aLogThatDoesNotAnswerRefusesWritersUntilItDoesAndLosesNothing() {
    for (boolean waiterSends : new boolean[] {false, true}) {
      try (Fixture fixture = new Fixture(waiterSends, SOON)) {
        EngineContext ctx = fixture.newContext();
        PageGuard guard = new PageGuard();
        fixture.writeAndAwait(ctx, guard);
        fixture.stream.hold();
        long pending = fixture.write(ctx, guard, 1, new byte[10]);
        assertStalled(() -> fixture.log.awaitDurable(ctx, pending));
        assertStalled(() -> fixture.log.awaitDurable(ctx, pending));
        assertStalled(() -> fixture.write(ctx, guard, 1, new byte[10]));
        assertStalled(fixture.log::checkWritable);
        assertTrue(fixture.log.durableLsn() < pending);
        // Rolling back continues.
        ctx.mtr().beginRollback(100);
        ctx.mtr().abandon();
        fixture.stream.release();
        assertTrue(fixture.log.durableLsn() >= pending);
        fixture.writeAndAwait(ctx, guard);
      }
    }
  }

  @Test
  void whoWaitsForRoomInALogThatDoesNotAnswerIsRefusedAndTheLogStaysWithinItsRing() {
    try (Fixture fixture = new Fixture(false, SOON)) {
      EngineContext ctx = fixture.newContext();
      PageGuard guard = new PageGuard();
      fixture.stream.hold();
      long durable = fixture.log.durableOffset();
      assertStalled(
          () -> {
            while (true) {
              fixture.write(ctx, guard, 1, new byte[4000]);
            }
          });
      assertTrue(fixture.log.reservedOffset() - durable <= 1 << 16);
      fixture.stream.release();
    }
  }

  @Test
  void aLogThatDoesNotAnswerCanBeClosed() {
    try (Fixture fixture = new Fixture(false, SOON)) {
      fixture.stream.hold();
      fixture.write(fixture.newContext(), new PageGuard(), 1, new byte[10]);
    }
  }

  @Test
  void aLogWhoseDiskIsFullWhenItAnswersAgainSaysThatInstead() {
    try (Fixture fixture = new Fixture(false, SOON)) {
      EngineContext ctx = fixture.newContext();
      PageGuard guard = new PageGuard();
      fixture.stream.hold();
      long pending = fixture.write(ctx, guard, 1, new byte[10]);
      assertStalled(() -> fixture.log.awaitDurable(ctx, pending));
      fixture.stream.full(true);
      fixture.stream.release();
      assertEquals(SqlState.DISK_FULL, fixture.log.refusal().state());
      fixture.stream.full(false);
      while (fixture.log.refusal() != null) {
        LockSupport.parkNanos(100_000);
      }
      assertTrue(fixture.log.durableLsn() >= pending);
    }
  }

  private static void assertStalled(Executable action) {
    assertEquals(SqlState.CANNOT_CONNECT_NOW, assertThrows(GaussException.class, action).state());
  }

  @Test
  void aFailedStreamRefusesEverythingWithAnIoError() {
    try (Fixture fixture = new Fixture(false)) {
      EngineContext ctx = fixture.newContext();
      PageGuard guard = new PageGuard();
      fixture.stream.fail(new java.io.IOException("fsync failed"));
      long lsn = fixture.write(ctx, guard, 1, new byte[10]);
      GaussException waiting =
          assertThrows(GaussException.class, () -> fixture.log.awaitDurable(ctx, lsn));
      assertEquals(SqlState.IO_ERROR, waiting.state());
      GaussException writing =
          assertThrows(GaussException.class, () -> fixture.write(ctx, guard, 1, new byte[10]));
      assertEquals(SqlState.IO_ERROR, writing.state());
    }
  }

  @Test
  void whatNobodyWaitsForIsSentAfterTheLazyInterval() {
    try (Fixture fixture = new Fixture(false)) {
      EngineContext ctx = fixture.newContext();
      long lsn = fixture.write(ctx, new PageGuard(), 1, new byte[10]);
      while (fixture.log.durableLsn() < lsn) {
        LockSupport.parkNanos(100_000);
      }
    }
  }

  @Test
  void waitingForTheLogUnderALatchIsFound() {
    try (Fixture fixture = new Fixture(false);
        PageGuard held = new PageGuard()) {
      EngineContext ctx = fixture.newContext();
      fixture.stream.hold();
      long lsn = fixture.write(ctx, new PageGuard(), 1, new byte[10]);
      fixture.pool.read(ctx, PageId.of(SPACE, 1), held);
      expectBroken(() -> fixture.log.awaitDurable(ctx, lsn));
      fixture.stream.release();
    }
  }

  @Test
  void anInterruptEndsAWaitForTheLog() throws InterruptedException {
    try (Fixture fixture = new Fixture(false)) {
      EngineContext ctx = fixture.newContext();
      CountDownLatch release = new CountDownLatch(1);
      fixture.stream.beforeAppend(
          () -> {
            try {
              release.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      long lsn = fixture.write(ctx, new PageGuard(), 1, new byte[10]);
      AtomicReference<GaussException> error = new AtomicReference<>();
      Thread waiter =
          Thread.ofVirtual()
              .start(
                  () ->
                      error.set(
                          assertThrows(
                              GaussException.class, () -> fixture.log.awaitDurable(ctx, lsn))));
      ctx.interrupts().request(SqlState.QUERY_CANCELED, "canceling statement due to user request");
      waiter.join();
      assertEquals(SqlState.QUERY_CANCELED, error.get().state());
      release.countDown();
    }
  }
}
