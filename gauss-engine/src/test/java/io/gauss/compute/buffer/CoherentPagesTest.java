package io.gauss.compute.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.log.Pages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.memory.coherence.HolderPage.Right;
import io.gauss.memory.wire.FromHolder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Buffer pools of several nodes that write the same pages. */
@Timeout(300)
class CoherentPagesTest {
  private static final int SPACE = 9;
  private static final int AT = 500;

  private CoherentCluster cluster;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void stop() {
    threads.shutdownNow();
    cluster.close();
  }

  private void start(RightRetention kept) {
    cluster = new CoherentCluster(3, 24, kept);
  }

  private static long page(int number) {
    return PageId.of(SPACE, number);
  }

  private static long read(CoherentCluster.Node node, EngineContext ctx, long page) {
    try (PageGuard guard = new PageGuard()) {
      node.pool().read(ctx, page, guard);
      return Memory.getLong(guard.address() + AT);
    }
  }

  /** Adds to the page's number and returns it. */
  private static long add(CoherentCluster.Node node, EngineContext ctx, long page, long what) {
    ctx.mtr().begin(200);
    try (PageGuard guard = new PageGuard()) {
      node.pool().write(ctx, page, guard);
      long now = Memory.getLong(guard.address() + AT) + what;
      Pages.write(ctx.mtr(), guard, AT, now);
      ctx.mtr().commit();
      return now;
    } finally {
      ctx.mtr().abandon();
      node.pool().transactionEnded();
    }
  }

  private void format(int pages) {
    CoherentCluster.Node node = cluster.node(1);
    EngineContext ctx = node.newContext();
    for (int i = 1; i <= pages; i++) {
      ctx.mtr().begin(200);
      try (PageGuard guard = new PageGuard()) {
        node.pool().write(ctx, page(i), guard);
        Pages.format(ctx.mtr(), guard);
        ctx.mtr().commit();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatOneNodeWritesTheOthersRead(RightRetention kept) {
    start(kept);
    format(1);
    for (int round = 1; round <= 20; round++) {
      CoherentCluster.Node writer = cluster.node(round % 3 + 1);
      assertEquals(round, add(writer, writer.newContext(), page(1), 1));
      for (int slot = 1; slot <= 3; slot++) {
        CoherentCluster.Node reader = cluster.node(slot);
        assertEquals(round, read(reader, reader.newContext(), page(1)));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPageOfALaterFormatIsNotTakenFromAnotherNode(RightRetention kept) {
    start(kept);
    format(1);
    CoherentCluster.Node writer = cluster.node(1);
    EngineContext ctx = writer.newContext();
    ctx.mtr().begin(200);
    try (PageGuard guard = new PageGuard()) {
      writer.pool().write(ctx, page(1), guard);
      long header = Memory.getLong(guard.address() + PageLayout.VERSION);
      Pages.write(ctx.mtr(), guard, PageLayout.VERSION, header | 0xFF);
      ctx.mtr().commit();
    } finally {
      writer.pool().transactionEnded();
    }
    CoherentCluster.Node reader = cluster.node(2);
    GaussException e =
        assertThrows(GaussException.class, () -> read(reader, reader.newContext(), page(1)));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, e.state());
    assertTrue(e.getMessage().contains("has format version 255"), e.getMessage());
  }

  @Test
  void damagedBytesDoNotReplaceACopyThatIsRead() {
    start(RightRetention.UNTIL_WANTED);
    format(1);
    CoherentCluster.Node owner = cluster.node(1);
    add(owner, owner.newContext(), page(1), 7);
    CoherentCluster.Node reader = cluster.node(2);
    assertEquals(7, read(reader, reader.newContext(), page(1)));
    ByteBuf damaged =
        PooledByteBufAllocator.DEFAULT.directBuffer().writeZero(PageLayout.PAGE_BYTES);
    owner.toCompute(2, 1, new FromHolder.Given(page(1), 99, 1, 0, damaged));
    assertEquals(List.of(), reader.busy(), "it has been looked at");
    assertEquals(7, read(reader, reader.newContext(), page(1)));
  }

  @ParameterizedTest
  @EnumSource
  void aPageThatArrivesDamagedIsReadFromAPageStore(RightRetention kept) throws Exception {
    start(kept);
    format(1);
    CoherentCluster.Node giver = cluster.node(1);
    add(giver, giver.newContext(), page(1), 7);
    giver.damageNextGiven();
    CoherentCluster.Node taker = cluster.node(2);
    assertEquals(8, add(taker, taker.newContext(), page(1), 1));
    assertEquals(8, read(giver, giver.newContext(), page(1)));
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!giver.busy().isEmpty() || !taker.busy().isEmpty()) {
      assertTrue(System.nanoTime() < deadline, "the giver keeps the page as leaving");
      Thread.yield();
    }
  }

  @Test
  void rightsThatAreKeptPerTransactionGoHomeByThemselves() throws Exception {
    start(RightRetention.PER_TRANSACTION);
    format(1);
    CoherentCluster.Node writer = cluster.node(1);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (writer.pool().residentPages().length > 0) {
      assertTrue(System.nanoTime() < deadline, "the page does not go");
      writer.pool().transactionEnded();
      Thread.yield();
    }
    assertEquals(1, add(cluster.node(2), cluster.node(2).newContext(), page(1), 1));
  }

  @Test
  void whoReadsToWriteGetsTheRightToWriteUnlessRowsOfThePageAreContended() {
    start(RightRetention.UNTIL_WANTED);
    format(2);
    CoherentCluster.Node other = cluster.node(2);
    EngineContext ctx = other.newContext();
    other.pool().rowIsTaken(page(2));
    assertTrue(mayWriteAfterLooking(other, ctx, page(1)));
    other.pool().rowIsTaken(page(2)); // again: it is remembered for a second
    assertFalse(mayWriteAfterLooking(other, ctx, page(2)), "only a copy came");
    assertEquals(1, add(cluster.node(1), cluster.node(1).newContext(), page(2), 1));
  }

  private static boolean mayWriteAfterLooking(
      CoherentCluster.Node node, EngineContext ctx, long page) {
    try (PageGuard guard = new PageGuard()) {
      node.pool().readToWrite(ctx, page, guard);
    }
    try (PageGuard guard = new PageGuard()) {
      return node.pool().tryWrite(ctx, page, guard);
    }
  }

  @ParameterizedTest
  @EnumSource
  void noWriteIsLostThoughAllNodesWriteAllPagesInSmallPools(RightRetention kept) throws Exception {
    start(kept);
    writeEverywhere(400, false);
  }

  @Test
  void noWriteIsLostThoughPagesAlsoMoveAheadOfTheirUse() throws Exception {
    start(RightRetention.UNTIL_WANTED);
    writeEverywhere(200, true);
  }

  /** Processors are busy: the thread that waited for a page runs only long after it has come. */
  @Test
  void aPageStaysUntilAThreadThatWaitedForItHasUsedIt() throws Exception {
    start(RightRetention.UNTIL_WANTED);
    format(1);
    CoherentCluster.Node node = cluster.node(2);
    CoherentCluster.Node other = cluster.node(3);
    AtomicReference<Thread> late = new AtomicReference<>();
    CountDownLatch came = new CountDownLatch(1);
    CountDownLatch runs = new CountDownLatch(1);
    Runnable waitsForAProcessor =
        () -> {
          if (Thread.currentThread() == late.get()) {
            came.countDown();
            await(runs);
          }
        };
    try (FaultPoints.Armed armed = FaultPoints.arm("pages.came", waitsForAProcessor)) {
      Future<Long> one =
          threads.submit(
              () -> {
                late.set(Thread.currentThread());
                return add(node, node.newContext(), page(1), 1);
              });
      await(came);
      Future<Long> next = threads.submit(() -> add(other, other.newContext(), page(1), 1));
      while (node.holding(page(1)).taker() != other.slot() && !next.isDone()) {
        Thread.yield(); // until the node has been told to give it
      }
      // It is looked at many times meanwhile, and at each of them the page could go.
      for (int i = 0; i < 200 && !next.isDone(); i++) {
        read(cluster.node(1), cluster.node(1).newContext(), page(2 + i % 20));
        node.busy();
      }
      runs.countDown();
      assertEquals(1, one.get(60, TimeUnit.SECONDS));
      assertEquals(2, next.get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void aThreadWhoseCopiesGoBeforeItRunsReadsThePageNevertheless() {
    start(RightRetention.UNTIL_WANTED);
    format(1);
    CoherentCluster.Node writer = cluster.node(1);
    CoherentCluster.Node reader = cluster.node(2);
    Thread late = Thread.currentThread();
    AtomicInteger copies = new AtomicInteger();
    Runnable waitsForAProcessor =
        () -> {
          if (Thread.currentThread() == late && reader.holding(page(1)).right() == Right.SHARED) {
            assertTrue(copies.incrementAndGet() < 10, "one copy after the other goes in vain");
            Future<Long> write = threads.submit(() -> add(writer, writer.newContext(), page(1), 1));
            while (reader.holding(page(1)).right() == Right.SHARED) {
              Thread.yield();
            }
            assertTrue(write.state() != Future.State.FAILED);
          }
        };
    try (FaultPoints.Armed armed = FaultPoints.arm("pages.came", waitsForAProcessor)) {
      assertTrue(read(reader, reader.newContext(), page(1)) > 0);
    }
    assertTrue(copies.get() > 0);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A page without a frame arrives when the thread that waited for it was interrupted. */
  @Test
  void aPageWithoutAFrameIsReportedToANewHome() {
    start(RightRetention.UNTIL_WANTED);
    FrameRights rights = cluster.node(1).pool().rights();
    rights.startInstall(page(1));
    rights.endInstall(page(1));
    rights.change(page(1), PageRight.OWNED, 5, 0);
    List<Long> settled = new ArrayList<>();
    rights.forEach(false, settled::add);
    assertEquals(List.of(page(1)), settled);
    settled.clear();
    rights.forEach(true, settled::add);
    assertEquals(List.of(), settled);
    rights.change(page(1), PageRight.SHARED, 5, 2);
    rights.forEach(true, settled::add);
    assertEquals(List.of(page(1)), settled);
  }

  @Test
  void nothingStaysOfAPageWithoutAFrameThatCouldNotBeRead() {
    start(RightRetention.UNTIL_WANTED);
    FrameRights rights = cluster.node(1).pool().rights();
    Memory.putLong(rights.startInstall(page(1)) + PageLayout.LSN, 77);
    rights.endInstall(page(1));
    rights.failed(page(1), new IllegalStateException("not read"));
    assertEquals(0, rights.lsn(page(1)));
  }

  private void writeEverywhere(int perThread, boolean moves) throws Exception {
    int pages = 60;
    int threadsPerNode = 3;
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    format(pages);
    List<Future<Void>> running = new ArrayList<>();
    for (int slot = 1; slot <= 3; slot++) {
      for (int t = 0; t < threadsPerNode; t++) {
        Random random = new Random(seed + slot * 31L + t);
        running.add(threads.submit(writer(cluster.node(slot), random, pages, perThread, moves)));
      }
    }
    for (Future<Void> each : running) {
      each.get(250, TimeUnit.SECONDS);
    }
    long sum = 0;
    CoherentCluster.Node reader = cluster.node(2);
    EngineContext ctx = reader.newContext();
    for (int i = 1; i <= pages; i++) {
      sum += read(reader, ctx, page(i));
    }
    assertEquals(3L * threadsPerNode * perThread, sum, "seed " + seed);
    assertTrue(cluster.node(1).pool().evictions() > 0, "there was eviction");
  }

  private Callable<Void> writer(
      CoherentCluster.Node node, Random random, int pages, int count, boolean moves) {
    return () -> {
      EngineContext ctx = node.newContext();
      long[] seen = new long[pages + 1];
      for (int i = 0; i < count; i++) {
        if (moves) {
          node.pool().moves().ask(page(1 + random.nextInt(pages)));
        }
        int written = 1 + random.nextInt(pages);
        seen[written] = add(node, ctx, page(written), 1);
        // Some pages are hot, some are read only now and then.
        int readNow = 1 + random.nextInt(random.nextInt(pages) + 1);
        long value = read(node, ctx, page(readNow));
        if (value < seen[readNow]) {
          throw new AssertionError(
              "page %d had %d and has %d now".formatted(readNow, seen[readNow], value));
        }
        seen[readNow] = value;
      }
      return null;
    };
  }
}
