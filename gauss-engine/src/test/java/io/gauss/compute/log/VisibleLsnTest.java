package io.gauss.compute.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.PageId;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.buffer.PoolSettings;
import io.gauss.compute.engine.MemoryLogStream;
import io.gauss.compute.engine.MemoryPageStore;
import io.gauss.compute.mtr.EngineContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What is visible: durable, and known to the other nodes (law 8, visible means durable and
 * advanced).
 */
class VisibleLsnTest {
  private final LamportClock clock = new LamportClock(1, 0);
  private final LogBuffer log =
      new LogBuffer(LogSettings.defaults(), clock, new MemoryLogStream(1), 1);
  private final BufferPool pool =
      new BufferPool(PoolSettings.ofFrames(16), new MemoryPageStore(), log);
  private final EngineContext ctx = new EngineContext(log);
  private final AtomicLong through = new AtomicLong(CommitAdvance.EVERYTHING);
  private final AtomicLong told = new AtomicLong();

  @AfterEach
  void close() {
    log.close();
  }

  private void withOthers() {
    log.advance(
        new CommitAdvance() {
          @Override
          public void sending(long lsn) {
            told.accumulateAndGet(lsn, Math::max);
          }

          @Override
          public long through() {
            return through.get();
          }
        });
  }

  private long write() {
    PageGuard guard = new PageGuard();
    long id = PageId.of(9, 1);
    pool.pin(ctx, id);
    try {
      ctx.mtr().begin(200);
      pool.write(ctx, id, guard);
      Pages.format(ctx.mtr(), guard);
      ctx.mtr().startRecord(guard, RedoType.WRITE);
      ctx.mtr().putShort(128);
      ctx.mtr().putLong(7);
      ctx.mtr().endRecord();
      return ctx.mtr().commit();
    } finally {
      ctx.mtr().abandon();
      guard.close();
      pool.unpin(id);
    }
  }

  private CompletableFuture<GaussException> visible(long lsn) {
    CompletableFuture<GaussException> told = new CompletableFuture<>();
    log.whenVisible(lsn, told::complete);
    return told;
  }

  @Test
  void onANodeThatIsAloneWhatIsDurableIsVisible() {
    long lsn = write();
    log.awaitVisible(ctx, lsn);
    assertTrue(log.visibleLsn() >= lsn);
    assertEquals(log.durableLsn(), log.visibleLsn());
  }

  /** Whoever is told that its commit is durable may be told that it is visible. */
  @Test
  void onANodeThatIsAloneNothingIsDurableBeforeItIsVisible() throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    AtomicLong missed = new AtomicLong();
    Thread looks =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!done.get()) {
                    long durable = log.durableLsn();
                    if (log.visibleLsn() < durable) {
                      missed.incrementAndGet();
                    }
                  }
                });
    for (int i = 0; i < 5_000; i++) {
      log.awaitDurable(ctx, write());
    }
    done.set(true);
    looks.join();
    assertEquals(0, missed.get());
  }

  @Test
  void theOthersHearOfACommitThatSomebodyWaitsFor() {
    withOthers();
    long lsn = write();
    log.awaitVisible(ctx, lsn);
    assertTrue(told.get() >= lsn);
  }

  @Test
  void theyHearOfACommitForWhichNobodyWaitedWhenItWasSent() {
    withOthers();
    long lsn = write();
    log.awaitDurable(ctx, lsn);
    through.set(lsn - 1);
    long next = write();
    log.awaitDurable(ctx, next);
    told.set(0);
    CompletableFuture<GaussException> wait = visible(next);
    assertEquals(next, told.get());
    through.set(next);
    log.advanced();
    assertNull(wait.join());
  }

  /** A page that leaves needs the disk, not the other nodes: each call there costs two messages. */
  @Test
  void theyAreNotCalledForWhatIsOnlyForced() {
    withOthers();
    log.awaitDurable(ctx, write());
    long lsn = write();
    log.force();
    log.awaitDurable(ctx, lsn);
    assertEquals(0, told.get());
    long commit = write();
    assertNull(visible(commit).join());
    assertTrue(told.get() >= commit);
  }

  @Test
  void aDurableCommitIsVisibleOnlyWhenTheOthersHaveHeardOfIt() {
    withOthers();
    through.set(0);
    long lsn = write();
    CompletableFuture<GaussException> wait = visible(lsn);
    log.awaitDurable(ctx, lsn);
    assertTrue(log.durableLsn() >= lsn);
    assertTrue(log.visibleLsn() < lsn);
    assertTrue(!wait.isDone());
    through.set(lsn);
    log.advanced();
    assertNull(wait.join(), "on whichever thread it is told");
    assertTrue(log.visibleLsn() >= lsn);
  }

  @Test
  void whatIsVisibleStaysSoWhenANodeJoinsThatHasHeardOfNothing() {
    withOthers();
    long lsn = write();
    log.awaitVisible(ctx, lsn);
    through.set(0);
    log.advanced();
    assertTrue(log.visibleLsn() >= lsn);
  }

  @Test
  void aNodeSettlesAtItsClockWhileNothingIsOnItsWay() {
    withOthers();
    long lsn = write();
    log.awaitVisible(ctx, lsn);
    clock.observe(lsn + (1000L << 8));
    assertEquals(clock.now(), log.settledLsn());
    through.set(lsn);
    long next = write();
    log.awaitDurable(ctx, next);
    assertEquals(log.visibleLsn(), log.settledLsn());
  }

  @Test
  void whoStillWaitsForOthersWhenTheLogClosesIsTold() {
    withOthers();
    through.set(0);
    long lsn = write();
    AtomicReference<GaussException> error = new AtomicReference<>();
    log.whenVisible(lsn, error::set);
    log.awaitDurable(ctx, lsn);
    log.close();
    assertEquals(SqlState.ADMIN_SHUTDOWN, error.get().state());
  }
}
