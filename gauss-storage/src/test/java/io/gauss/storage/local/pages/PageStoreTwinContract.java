package io.gauss.storage.local.pages;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.storage.api.PageStore.CheckpointResult;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The page store against its naive twin, with restarts, checkpoints, kills in the middle of
 * checkpoints, evictions and reads in any order.
 *
 * <p>One thread does everything, so that a seed repeats a run; see {@link PageStoreStreamsTest} for
 * concurrent streams that wait for each other.
 */
@Timeout(300)
public abstract class PageStoreTwinContract {
  /** Opens a store; the first time with this name it is empty, later it is the same one again. */
  protected abstract LocalPageStore open(String name, PageStoreSettings settings);

  private final long page =
      Memory.allocate(Arena.global(), PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
  private LocalPageStore store;
  private PageHistory history;
  private final Map<Integer, Long> fed = new HashMap<>();
  private final Map<Integer, Long> checkpointed = new HashMap<>();

  /**
   * Highest offsets to which streams were ever delivered: pages on disk may be newer than the
   * offsets there.
   */
  private final Map<Integer, Long> everFed = new HashMap<>();

  private final List<Wait> waits = new ArrayList<>();

  private record Wait(int stream, long offset, CompletableFuture<Void> reached) {}

  private static final class Killed extends RuntimeException {}

  @Test
  void oneStream() {
    histories(1, 6);
  }

  @Test
  void severalStreamsThatArriveInAnyOrder() {
    histories(3, 6);
  }

  private void histories(int streams, int count) {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    for (int i = 0; i < count; i++) {
      try {
        run(new Random(seed + i), streams, "store" + i);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("gauss.seed=" + (seed + i) + " streams=" + streams, e);
      }
    }
  }

  private void run(Random random, int streams, String path) {
    history = new PageHistory(random, streams, 1 + random.nextInt(200));
    fed.clear();
    checkpointed.clear();
    everFed.clear();
    waits.clear();
    // With several streams nothing may block here, since the waiting thread is the one that would
    // deliver the missing records.
    long pendingLimit = streams == 1 ? 16L << random.nextInt(8, 16) : 64L << 20;
    PageStoreSettings settings =
        PageStoreSettings.defaults()
            .withApply(new TestApply())
            .withMemory(pendingLimit, 8192L << random.nextInt(8), 256 << 10);
    store = open(path, settings);
    try {
      for (int step = 0; step < 1500; step++) {
        int action = random.nextInt(1000);
        if (action < 600) {
          history.step();
        } else if (action < 800) {
          feed(1 + random.nextInt(streams), random);
        } else if (action < 980) {
          read(history.randomPage(), 1 + random.nextInt(streams));
          await(1 + random.nextInt(streams), random);
        } else if (action < 992) {
          checkpoint();
        } else {
          if (random.nextBoolean()) {
            dieInACheckpoint(random);
          }
          store.close();
          store = open(path, settings);
          restarted();
        }
      }
      for (int s = 1; s <= streams; s++) {
        feedTo(s, history.end(s), random);
      }
      checkLatest();
      for (Wait wait : waits) {
        wait.reached().orTimeout(60, TimeUnit.SECONDS).join();
      }
      checkpoint();
      checkDropped();
      checkpoint(); // what was deleted is durable with it, or is deleted again
      store.close();
      store = open(path, settings);
      for (int s = 1; s <= streams; s++) {
        assertEquals(history.end(s), store.checkpointOffset(s));
      }
      checkLatest();
      checkDropped();
    } finally {
      store.close();
    }
  }

  /** Waits for the present offset of a stream, or for a later one that is delivered meanwhile. */
  private void await(int stream, Random random) {
    long offset = store.appliedOffset(stream) + random.nextInt(500);
    if (offset <= history.end(stream)) {
      waits.add(new Wait(stream, offset, store.reached(stream, offset, Long.MAX_VALUE)));
    }
  }

  private void checkWaits() {
    for (Wait wait : waits) {
      assertTrue(
          !wait.reached().isDone() || wait.offset() <= store.appliedOffset(wait.stream()),
          "nobody hears of an offset that is not reached");
    }
  }

  /** The pages of the last checkpoint may be on disk or not, but its offsets are not. */
  private void dieInACheckpoint(Random random) {
    int pages = random.nextInt(20);
    try {
      store.checkpoint(
          (written, all) -> {
            if (written >= pages) {
              throw new Killed();
            }
          });
      for (int s = 1; s <= history.streams(); s++) {
        checkpointed.put(s, store.checkpointOffset(s));
      }
    } catch (Killed e) {
      assertTrue(pages >= 0, "as it was to be");
    }
  }

  private void restarted() {
    for (Wait wait : waits) {
      assertTrue(wait.reached().isDone(), "closing ends all waits");
    }
    waits.clear();
    for (int s = 1; s <= history.streams(); s++) {
      assertEquals(checkpointed.getOrDefault(s, 0L), store.checkpointOffset(s));
      assertEquals(store.checkpointOffset(s), store.appliedOffset(s));
      fed.put(s, store.checkpointOffset(s));
    }
  }

  private void feed(int stream, Random random) {
    List<Long> ends = history.ends(stream);
    int from = java.util.Collections.binarySearch(ends, fed.getOrDefault(stream, 0L)) + 1;
    if (from < ends.size()) {
      feedTo(stream, ends.get(from + random.nextInt(ends.size() - from)), random);
    }
  }

  private void feedTo(int stream, long to, Random random) {
    long from = fed.getOrDefault(stream, 0L);
    if (random.nextInt(5) == 0 && from > 0) {
      // Records that were taken before are skipped.
      List<Long> ends = history.ends(stream);
      from = ends.get(random.nextInt(java.util.Collections.binarySearch(ends, from) + 1));
    }
    if (from < to) {
      store.apply(stream, from, history.slice(stream, from, to));
      fed.put(stream, to);
      everFed.merge(stream, to, Math::max);
    }
    checkApplied();
    checkWaits();
  }

  /**
   * The applied offset never covers parked records, and always covers the others (rule 18). Between
   * the two are records that pages on disk have of streams that are delivered again, including the
   * stream itself: a page that a later record started over takes none of the records that waited
   * before it. Records of a dropped space wait or are skipped.
   */
  private void checkApplied() {
    for (int s = 1; s <= history.streams(); s++) {
      long applied = store.appliedOffset(s);
      assertTrue(applied >= history.appliedAfter(s, fed, true), "all that joins counts");
      long most = Math.min(fed.getOrDefault(s, 0L), history.appliedAfter(s, everFed, false));
      assertTrue(applied <= most, "nothing that is parked counts");
    }
  }

  private void read(long pageId, int stream) {
    long floor = store.appliedOffset(stream);
    long lsn = store.readPage(pageId, stream, floor, page).orTimeout(60, TimeUnit.SECONDS).join();
    byte[] expected = history.version(pageId, lsn);
    assertNotNull(expected, () -> PageId.toString(pageId) + " never had " + Lsn.toString(lsn));
    assertPage(pageId, expected);
    assertTrue(
        history.isDropped(pageId) || lsn >= history.leastLsn(pageId, stream, floor),
        "the page is below its floor");
  }

  private void assertPage(long pageId, byte[] expected) {
    byte[] actual = new byte[PageLayout.PAGE_BYTES];
    Memory.copyOut(page, actual, 0, actual.length);
    assertArrayEquals(expected, actual, () -> "page " + PageId.toString(pageId));
  }

  private void checkpoint() {
    CheckpointResult result = store.checkpoint();
    for (int s = 1; s <= history.streams(); s++) {
      long offset = result.offsets().getOrDefault(s, 0L);
      assertEquals(offset, store.checkpointOffset(s));
      assertTrue(offset <= store.appliedOffset(s));
      checkpointed.put(s, offset);
    }
  }

  private void checkLatest() {
    for (int s = 1; s <= history.streams(); s++) {
      assertEquals(history.end(s), store.appliedOffset(s), "nothing is parked any more");
    }
    for (long pageId : history.pageIds()) {
      long lsn = store.readPage(pageId, 1, 0, page).orTimeout(60, TimeUnit.SECONDS).join();
      if (!history.isDropped(pageId)) {
        assertEquals(history.latestLsn(pageId), lsn, () -> "page " + PageId.toString(pageId));
      }
      assertPage(pageId, history.version(pageId, lsn));
    }
  }

  /** Nothing is left of dropped spaces. */
  private void checkDropped() {
    for (long pageId : history.pageIds()) {
      if (history.isDropped(pageId)) {
        assertEquals(0, store.readPage(pageId, 1, 0, page).orTimeout(60, TimeUnit.SECONDS).join());
      }
    }
    try (PagesImage image = store.image()) {
      for (long id = image.nextPage(); id != PageId.NONE; id = image.nextPage()) {
        long pageId = id;
        assertFalse(history.isDropped(id), () -> "there is page " + PageId.toString(pageId));
        image.take(ByteBuffer.allocateDirect(PageLayout.PAGE_BYTES));
      }
    }
  }
}
