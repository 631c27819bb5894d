package io.gauss.storage.local.pages;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Streams that feed a page store concurrently, each on its own thread, and that write to the same
 * pages in turn: with little memory some have to wait for others.
 */
@Timeout(300)
class PageStoreStreamsTest {
  private static final int STREAMS = 3;
  private static final int LARGEST_BATCH = 16 << 10;

  @TempDir Path directory;

  private final long page =
      Memory.allocate(Arena.global(), PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
  private final ExecutorService feeders = Executors.newFixedThreadPool(STREAMS);
  private LocalPageStore store;
  private PageHistory history;

  @AfterEach
  void close() {
    if (store != null) {
      store.close();
    }
    feeders.shutdownNow();
  }

  private static PageStoreSettings settings(long pendingLimit) {
    return PageStoreSettings.defaults()
        .withApply(new TestApply())
        .withMemory(pendingLimit, 8 * 8192L, 256 << 10);
  }

  private void open(PageStoreSettings settings) {
    store = LocalPageStore.open(directory, settings);
  }

  private void history(Random random, int pages, int mtrs) {
    history = new PageHistory(random, STREAMS, pages);
    for (int i = 0; i < mtrs; i++) {
      history.step();
    }
  }

  /** Delivers the rest of a stream from the store's checkpoint on, in batches; some come twice. */
  private Future<?> feed(int stream, long seed) {
    LocalPageStore to = store;
    return feeders.submit(
        () -> {
          Random random = new Random(seed);
          List<Long> ends = history.ends(stream);
          long from = to.checkpointOffset(stream);
          while (from < history.end(stream)) {
            int next = Collections.binarySearch(ends, from) + 1;
            int last = Math.min(ends.size() - 1, next + random.nextInt(20));
            while (last > next && ends.get(last) - from > LARGEST_BATCH) {
              last--;
            }
            ByteBuffer batch = history.slice(stream, from, ends.get(last));
            to.apply(stream, from, batch);
            from = random.nextInt(8) == 0 ? from : ends.get(last);
          }
        });
  }

  private void readSomething(Random random) {
    int stream = 1 + random.nextInt(STREAMS);
    long pageId = history.randomPage();
    long floor = store.appliedOffset(stream);
    long lsn = store.readPage(pageId, stream, floor, page).orTimeout(60, TimeUnit.SECONDS).join();
    assertPage(pageId, lsn);
    assertTrue(
        history.isDropped(pageId) || lsn >= history.leastLsn(pageId, stream, floor),
        "the page is below its floor");
  }

  private void assertPage(long pageId, long lsn) {
    byte[] expected = history.version(pageId, lsn);
    assertTrue(expected != null, () -> PageId.toString(pageId) + " never was " + Lsn.toString(lsn));
    byte[] actual = new byte[PageLayout.PAGE_BYTES];
    Memory.copyOut(page, actual, 0, actual.length);
    assertArrayEquals(expected, actual, () -> "page " + PageId.toString(pageId));
  }

  private void assertHasAll() {
    for (int s = 1; s <= STREAMS; s++) {
      assertEquals(history.end(s), store.appliedOffset(s));
    }
    for (long pageId : history.pageIds()) {
      long lsn = store.readPage(pageId, page).orTimeout(60, TimeUnit.SECONDS).join();
      if (!history.isDropped(pageId)) {
        assertEquals(history.latestLsn(pageId), lsn, () -> "page " + PageId.toString(pageId));
      }
      assertPage(pageId, lsn);
    }
  }

  private static void awaitAll(List<Future<?>> running) throws Exception {
    for (Future<?> each : running) {
      each.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void streamsThatComeAtOnceWithLittleMemoryGetThroughWhateverHappensMeanwhile() throws Exception {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    try {
      Random random = new Random(seed);
      history(random, 1 + random.nextInt(100), 2500);
      PageStoreSettings settings = settings(16L << random.nextInt(10, 14));
      open(settings);
      for (int run = 0; run < 6; run++) {
        List<Future<?>> running = new ArrayList<>();
        for (int s = 1; s <= STREAMS; s++) {
          running.add(feed(s, random.nextLong()));
        }
        for (int i = random.nextInt(150); i > 0; i--) {
          readSomething(random);
          if (random.nextInt(50) == 0) {
            store.checkpoint();
          }
        }
        if (run == 5) {
          awaitAll(running);
        } else {
          store.close(); // in the middle; delivering threads are refused
          for (Future<?> each : running) {
            awaitEnd(each);
          }
          open(settings);
        }
      }
      assertHasAll();
      store.checkpoint();
      store.close();
      open(settings);
      for (int s = 1; s <= STREAMS; s++) {
        assertEquals(history.end(s), store.checkpointOffset(s));
      }
      assertHasAll();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("gauss.seed=" + seed + ": " + e, e);
    }
  }

  /** It may have finished, or have found the store closed. */
  private static void awaitEnd(Future<?> feeder) throws Exception {
    try {
      feeder.get(60, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      assertEquals(IllegalStateException.class, e.getCause().getClass());
    }
  }

  @Test
  void parkedRecordsThatFillTheMemoryHoldUpTheirStreamsUntilTheMissingOnesCome() throws Exception {
    long limit = 64 << 10;
    history(new Random(7), 40, 3000);
    open(settings(limit));
    List<Future<?>> running = new ArrayList<>(List.of(feed(1, 1), feed(2, 2)));
    while (store.stats().pendingMemory() <= limit) {
      assertFalse(Thread.currentThread().isInterrupted(), "the time is up");
      Thread.onSpinWait();
    }
    assertFalse(running.get(0).isDone() && running.get(1).isDone(), "somebody is held up");
    long bound = limit + limit / 4 + STREAMS * 2L * LARGEST_BATCH;
    Future<?> missing = feed(3, 3);
    running.add(missing);
    while (!missing.isDone()) {
      assertTrue(store.stats().pendingMemory() <= bound, "memory is bounded");
    }
    awaitAll(running);
    assertHasAll();
  }
}
