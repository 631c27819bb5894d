package io.gauss.storage.local.pages;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One page store takes over the pages of another (rule 29), against the naive twin of both. */
@Timeout(300)
class PagesInstallTest {
  private static final int STREAMS = 3;

  @TempDir Path directory;

  private final ByteBuffer image = ByteBuffer.allocateDirect(PageLayout.PAGE_BYTES);
  private final long page =
      Memory.allocate(Arena.global(), PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);

  private static PageStoreSettings settings(Random random) {
    return PageStoreSettings.defaults()
        .withApply(new TestApply())
        // One thread feeds all streams, so none may be blocked until another one is delivered.
        .withMemory(64L << 20, 8192L << random.nextInt(8), 256 << 10);
  }

  @Test
  void storesThatAreAtDifferentOffsetsBecomeTheHigherOfBoth() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    for (int i = 0; i < 12; i++) {
      try {
        run(new Random(seed + i), directory.resolve("run" + i));
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("gauss.seed=" + (seed + i), e);
      }
    }
  }

  private void run(Random random, Path path) {
    PageHistory history = new PageHistory(random, STREAMS, 1 + random.nextInt(200));
    for (int step = 0; step < 800; step++) {
      history.step();
    }
    PageStoreSettings settings = settings(random);
    try (LocalPageStore source = LocalPageStore.open(path.resolve("source"), settings)) {
      LocalPageStore target = LocalPageStore.open(path.resolve("target"), settings);
      try {
        feedSome(history, random, source);
        source.checkpoint();
        feedSome(history, random, source);
        if (random.nextBoolean()) {
          feedSome(history, random, target);
          target.checkpoint();
          feedSome(history, random, target);
        }
        if (random.nextBoolean()) {
          install(source, target, history, random, random.nextInt(50));
          Map<Integer, Long> before = checkpoints(target);
          target.close(); // in the middle
          target = LocalPageStore.open(path.resolve("target"), settings);
          assertEquals(before, checkpoints(target));
        }
        install(source, target, history, random, Integer.MAX_VALUE);
        checkPages(history, target);
        target.close(); // the installed pages are durable
        target = LocalPageStore.open(path.resolve("target"), settings);
        checkPages(history, target);
        for (int s = 1; s <= STREAMS; s++) {
          feedTo(history, target, s, history.end(s));
        }
        checkLatest(history, target);
      } finally {
        target.close();
      }
    }
  }

  private static Map<Integer, Long> checkpoints(LocalPageStore store) {
    Map<Integer, Long> offsets = new java.util.TreeMap<>();
    for (int s = 1; s <= STREAMS; s++) {
      offsets.put(s, store.checkpointOffset(s));
    }
    return offsets;
  }

  /**
   * Copies pages, and finishes unless there are more than this number; the target's tails continue.
   */
  private void install(
      LocalPageStore source, LocalPageStore target, PageHistory history, Random random, int most) {
    try (PagesImage from = source.image()) {
      PagesInstall install = target.install();
      int pages = 0;
      for (long id = from.nextPage(); id != PageId.NONE; id = from.nextPage()) {
        if (pages++ >= most) {
          return;
        }
        from.take(image.clear());
        install.page(id, Memory.addressOf(image.clear()));
        if (random.nextInt(4) == 0) {
          feedSome(history, random, target);
        }
        if (random.nextInt(40) == 0) {
          target.checkpoint();
        }
        if (random.nextInt(40) == 0) {
          feedSome(history, random, source);
          source.checkpoint();
        }
      }
      install.finish(from.offsets());
      from.offsets()
          .forEach(
              (stream, offset) -> {
                assertTrue(target.checkpointOffset(stream) >= offset);
                assertTrue(target.appliedOffset(stream) >= offset);
              });
    }
  }

  private static void feedSome(PageHistory history, Random random, LocalPageStore to) {
    int stream = 1 + random.nextInt(STREAMS);
    var ends = history.ends(stream);
    feedTo(history, to, stream, ends.get(random.nextInt(ends.size())));
  }

  /**
   * Feeds from the applied offset on, like a follower that starts there; records already taken are
   * skipped.
   */
  private static void feedTo(PageHistory history, LocalPageStore store, int stream, long to) {
    long from = store.appliedOffset(stream);
    if (from < to) {
      store.apply(stream, from, history.slice(stream, from, to));
    }
  }

  private long read(LocalPageStore store, long pageId) {
    return store.readPage(pageId, page).orTimeout(60, TimeUnit.SECONDS).join();
  }

  private void checkPages(PageHistory history, LocalPageStore store) {
    for (long pageId : history.pageIds()) {
      long lsn = read(store, pageId);
      byte[] expected = history.version(pageId, lsn);
      assertNotNull(expected, () -> PageId.toString(pageId) + " never had " + Lsn.toString(lsn));
      assertPage(expected, pageId);
      for (int s = 1; s <= STREAMS; s++) {
        int stream = s;
        assertTrue(
            history.isDropped(pageId) || lsn >= history.leastLsn(pageId, s, store.appliedOffset(s)),
            () -> PageId.toString(pageId) + " lacks what stream " + stream + " did");
      }
    }
  }

  private void checkLatest(PageHistory history, LocalPageStore store) {
    for (int s = 1; s <= STREAMS; s++) {
      assertEquals(history.end(s), store.appliedOffset(s), "nothing is parked any more");
    }
    for (long pageId : history.pageIds()) {
      long lsn = read(store, pageId);
      if (!history.isDropped(pageId)) {
        assertEquals(history.latestLsn(pageId), lsn);
      }
      assertPage(history.version(pageId, lsn), pageId);
    }
    store.checkpoint();
    for (long pageId : history.pageIds()) {
      if (history.isDropped(pageId)) {
        assertEquals(0, read(store, pageId));
      }
    }
  }

  private void assertPage(byte[] expected, long pageId) {
    byte[] actual = new byte[PageLayout.PAGE_BYTES];
    Memory.copyOut(page, actual, 0, actual.length);
    assertArrayEquals(expected, actual, () -> "page " + PageId.toString(pageId));
  }

  @Test
  void recordsAreTakenWhilePagesAreInstalled() {
    Random random = new Random(7);
    PageHistory history = new PageHistory(random, STREAMS, 60);
    for (int step = 0; step < 6000; step++) {
      history.step();
    }
    PageStoreSettings settings = settings(random);
    try (LocalPageStore source = LocalPageStore.open(directory.resolve("a"), settings);
        LocalPageStore target = LocalPageStore.open(directory.resolve("b"), settings)) {
      for (int s = 1; s <= STREAMS; s++) {
        feedTo(history, source, s, history.ends(s).get(history.ends(s).size() / 2));
      }
      source.checkpoint();
      CompletableFuture<?>[] tails = new CompletableFuture<?>[STREAMS];
      for (int s = 1; s <= STREAMS; s++) {
        int stream = s;
        tails[s - 1] =
            CompletableFuture.runAsync(
                () -> {
                  for (long end : history.ends(stream)) {
                    feedTo(history, target, stream, end);
                  }
                });
      }
      for (int i = 0; i < 5; i++) {
        install(source, target, history, new NoFeeding(), Integer.MAX_VALUE);
      }
      CompletableFuture.allOf(tails).join();
      checkLatest(history, target);
    }
  }

  /** Leaves feeding to other threads. */
  private static final class NoFeeding extends Random {
    private static final long serialVersionUID = 1;

    @Override
    public int nextInt(int bound) {
      return bound - 1;
    }
  }

  @Test
  void aPageThatWasDamagedOnTheWayIsRefused() {
    Random random = new Random(1);
    PageHistory history = new PageHistory(random, STREAMS, 3);
    for (int step = 0; step < 20; step++) {
      history.step();
    }
    PageStoreSettings settings = settings(random);
    try (LocalPageStore source = LocalPageStore.open(directory.resolve("a"), settings);
        LocalPageStore target = LocalPageStore.open(directory.resolve("b"), settings)) {
      for (int s = 1; s <= STREAMS; s++) {
        feedTo(history, source, s, history.end(s));
      }
      source.checkpoint();
      try (PagesImage from = source.image()) {
        long id = from.nextPage();
        from.take(image.clear());
        image.put(100, (byte) ~image.get(100));
        long address = Memory.addressOf(image.clear());
        assertThrows(GaussException.class, () -> target.install().page(id, address));
        assertEquals(0, read(target, id));
      }
    }
  }

  @Test
  void aStreamThatIsAskedForIsNotKnownBeforeItComes() {
    Random random = new Random(1);
    PageHistory history = new PageHistory(random, 1, 3);
    history.step();
    try (LocalPageStore store = LocalPageStore.open(directory, settings(random))) {
      CompletableFuture<Void> reached = store.reached(1, history.end(1), Long.MAX_VALUE);
      CompletableFuture<Void> never = store.reached(9, 1, 0);
      assertThrows(Exception.class, () -> never.get(60, TimeUnit.SECONDS));
      assertEquals(0, store.progress().size());
      feedTo(history, store, 1, history.end(1));
      reached.orTimeout(60, TimeUnit.SECONDS).join();
      assertEquals(1, store.progress().size());
      store.forget(1);
      assertEquals(0, store.progress().size());
    }
  }
}
