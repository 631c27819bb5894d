package io.gauss.compute.buffer;

import static io.gauss.common.invariant.InvariantsHold.expectBroken;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.log.Pages;
import io.gauss.compute.mtr.EngineContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a thread may wait for with latches held and pages retained, where other nodes want the same.
 */
@Timeout(300)
class RetainedPagesTest {
  private static final int SPACE = 9000;
  private static final int AT = 500;

  private final CoherentCluster cluster = new CoherentCluster(3, 32);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CoherentCluster.Node one = cluster.node(1);
  private final CoherentCluster.Node two = cluster.node(2);
  private final EngineContext ctx = one.newContext();

  @AfterEach
  void stop() {
    threads.shutdownNow();
    cluster.close();
  }

  private static long page(int number) {
    return PageId.of(SPACE, number);
  }

  private void format(int pages) {
    for (int i = 1; i <= pages; i++) {
      ctx.mtr().begin(200);
      try (PageGuard guard = new PageGuard()) {
        one.pool().write(ctx, page(i), guard);
        Pages.format(ctx.mtr(), guard);
        ctx.mtr().commit();
      }
    }
  }

  /** Has another node take the page for writing. */
  private void takeAway(long page) {
    EngineContext other = two.newContext();
    try (PageGuard guard = new PageGuard()) {
      two.pool().write(other, page, guard);
    }
  }

  @Test
  void aPageThatWasNotPinnedIsNotWaitedForUnderALatch() {
    format(1);
    try (PageGuard latched = new PageGuard();
        PageGuard wanted = new PageGuard()) {
      one.pool().write(ctx, page(1), latched);
      expectBroken(() -> one.pool().write(ctx, page(2), wanted));
      expectBroken(() -> one.pool().read(ctx, page(2), wanted));
      expectBroken(() -> one.pool().pin(ctx, page(2)));
      expectBroken(() -> one.pool().retain(ctx, page(2)));
    }
    assertEquals(0, ctx.latchesHeld());
  }

  @Test
  void ofAPinnedPageThatHasGoneOneIsToldUnderALatch() {
    format(2);
    one.pool().pinToWrite(ctx, page(2));
    takeAway(page(2));
    try (PageGuard latched = new PageGuard();
        PageGuard wanted = new PageGuard()) {
      one.pool().write(ctx, page(1), latched);
      assertThrows(PageAwayException.class, () -> one.pool().write(ctx, page(2), wanted));
      assertFalse(wanted.isHeld());
    }
    try (PageGuard wanted = new PageGuard()) {
      one.pool().write(ctx, page(2), wanted); // with no latch held it is waited for
    }
    one.pool().unpin(page(2));
  }

  @Test
  void pagesAreRetainedInOneOrderOnly() {
    format(3);
    one.pool().retain(ctx, page(2));
    expectBroken(() -> one.pool().retain(ctx, page(1)));
    takeAway(page(1));
    try (PageGuard guard = new PageGuard()) {
      expectBroken(() -> one.pool().write(ctx, page(1), guard));
    }
    one.pool().retain(ctx, page(3));
    one.pool().releaseRetained(ctx, page(3));
    one.pool().releaseRetained(ctx, page(2));
    assertEquals(0, ctx.pagesRetained());
  }

  @Test
  void aKeptPageStaysUntilItIsLetGo() throws Exception {
    format(1);
    try (RetainedPages retained = new RetainedPages(one.pool(), ctx, page(1))) {
      Future<?> other = threads.submit(() -> takeAway(page(1)));
      while (!one.busy().contains(page(1))) {
        Thread.onSpinWait(); // until this node has been told to give it
      }
      // Many messages go to and fro meanwhile, by any of which the page could have gone.
      for (int i = 2; i < 24; i++) {
        try (PageGuard guard = new PageGuard()) {
          cluster.node(3).pool().read(cluster.node(3).newContext(), page(i + 1), guard);
        }
      }
      assertFalse(other.isDone());
      try (PageGuard guard = new PageGuard()) {
        one.pool().writeKept(ctx, page(1), guard);
      }
      retained.close();
      other.get(180, TimeUnit.SECONDS);
    }
  }

  @Test
  void nodesThatNeedTheSamePagesTogetherAllGetOn() throws Exception {
    long seed = Seeds.next();
    int pages = 4;
    int count = 150;
    format(pages);
    List<Future<Void>> running = new ArrayList<>();
    for (int slot = 1; slot <= 3; slot++) {
      for (int t = 0; t < 2; t++) {
        Random random = new Random(seed + 10L * slot + t);
        running.add(threads.submit(together(cluster.node(slot), random, pages, count)));
      }
    }
    for (Future<Void> each : running) {
      each.get(250, TimeUnit.SECONDS);
    }
    long sum = 0;
    for (int i = 1; i <= pages; i++) {
      try (PageGuard guard = new PageGuard()) {
        one.pool().read(ctx, page(i), guard);
        sum += Memory.getLong(guard.address() + AT);
      }
    }
    assertEquals(0, sum, "what one page got another one lost; seed " + seed);
    assertTrue(one.pool().pagesRetained() > 0);
  }

  /** Moves a number from one page to another in one MTR, in any direction. */
  private static Callable<Void> together(
      CoherentCluster.Node node, Random random, int pages, int count) {
    return () -> {
      EngineContext ctx = node.newContext();
      for (int i = 0; i < count; i++) {
        int first = 1 + random.nextInt(pages);
        int second = 1 + (first + random.nextInt(pages - 1)) % pages;
        boolean done = false;
        while (!done) {
          done = move(node, ctx, page(Math.min(first, second)), page(Math.max(first, second)));
        }
      }
      return null;
    };
  }

  private static boolean move(CoherentCluster.Node node, EngineContext ctx, long low, long high) {
    ctx.mtr().begin(400);
    try (RetainedPages retained = new RetainedPages(node.pool(), ctx, low, high);
        PageGuard from = new PageGuard();
        PageGuard to = new PageGuard()) {
      node.pool().writeKept(ctx, low, from);
      node.pool().writeKept(ctx, high, to);
      Pages.write(ctx.mtr(), from, AT, Memory.getLong(from.address() + AT) - 1);
      Pages.write(ctx.mtr(), to, AT, Memory.getLong(to.address() + AT) + 1);
      ctx.mtr().commit();
      return true;
    } catch (PageAwayException e) {
      return false;
    } finally {
      ctx.mtr().abandon();
    }
  }
}
