package io.gauss.memory.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.memory.coherence.DirectoryPage;
import io.gauss.memory.coherence.DirectoryPage.State;
import io.gauss.memory.coherence.Slots;
import io.gauss.memory.directory.DirectoryEntry;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.wire.PageOwnersLayout.Holding;
import io.gauss.memory.wire.PageOwnersLayout.Key;
import io.gauss.storage.map.api.PageBuckets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OwnerCountTest {
  private static final int[] ALL = IntStream.range(0, PageBuckets.BUCKETS).toArray();

  private final PageDirectory directory = new PageDirectory("counted", 10_000);
  private final DirectoryEntry entry = new DirectoryEntry();

  @AfterEach
  void close() {
    directory.close();
  }

  private void put(long page, State state, int owner, int taker, long sharers, boolean hasBytes) {
    directory.findOrCreate(page, entry);
    entry.set(
        new DirectoryPage(state, owner, taker, 7, sharers, Lsn.of(70, 1), hasBytes, List.of()));
  }

  private static Map<Key, Long> all(OwnerCount count) {
    while (count.step()) {
      assertTrue(count.counts().size() <= OwnerCount.MOST_KEYS);
    }
    return count.counts();
  }

  @Test
  void ownersReadersAndBytesAreCountedBySpace() {
    long both = Slots.with(Slots.of(1), 3);
    put(PageId.of(130, 1), State.OWNED, 2, 0, Slots.NONE, false);
    put(PageId.of(130, 200), State.MOVING, 2, 1, Slots.NONE, false);
    put(PageId.of(130, 300), State.ASKING, 0, 3, Slots.NONE, false);
    put(PageId.of(131, 1), State.SHARED, 0, 0, both, true);
    put(PageId.of(131, 2), State.SHARED, 0, 0, Slots.NONE, true);
    put(PageId.of(131, 3), State.FREE, 0, 0, Slots.NONE, false);
    assertEquals(
        Map.of(
            new Key(130, 2, Holding.OWNER), 2L,
            new Key(130, 3, Holding.OWNER), 1L,
            new Key(131, 1, Holding.READER), 1L,
            new Key(131, 3, Holding.READER), 1L,
            new Key(131, 0, Holding.MEMORY), 2L),
        all(new OwnerCount(directory, bucket -> true, ALL)));
  }

  @Test
  void bucketsThatAreNotServedAreNotCounted() {
    put(PageId.of(130, 1), State.OWNED, 2, 0, Slots.NONE, false);
    int shut = PageBuckets.of(PageId.of(130, 1));
    assertEquals(Map.of(), all(new OwnerCount(directory, bucket -> bucket != shut, ALL)));
    assertEquals(
        Map.of(), all(new OwnerCount(directory, bucket -> true, new int[] {(shut + 1) % 4096})));
  }

  @Test
  void aStepIsShortHoweverManyPagesThereAre() {
    int pages = 5_000;
    for (int i = 0; i < pages; i++) {
      put(PageId.of(130, 64 * i), State.OWNED, 2, 0, Slots.NONE, false);
    }
    OwnerCount count = new OwnerCount(directory, bucket -> true, ALL);
    int steps = 1;
    while (count.step()) {
      steps++;
    }
    assertTrue(steps > pages / 64, steps + " steps");
    assertEquals((long) pages, count.counts().get(new Key(130, 2, Holding.OWNER)));
  }
}
