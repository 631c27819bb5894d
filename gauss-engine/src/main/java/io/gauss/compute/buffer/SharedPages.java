package io.gauss.compute.buffer;

import io.gauss.common.id.PageId;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.coherence.Slots;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Counts the pages of this node of which other nodes have copies. The calling thread examines the
 * frames; it asks a page's lane which nodes have copies, for some pages at a time, so that other
 * nodes' requests are not delayed. The counts are not of a single moment.
 */
public final class SharedPages {
  private static final int PAGES_AT_ONCE = 256;

  private SharedPages() {}

  /**
   * What is counted.
   *
   * @param space number of the space
   * @param reader slot of the node that has copies
   */
  public record Key(int space, int reader) {}

  /**
   * Begins to count on this thread; lanes continue.
   *
   * @param pages ids of pages of this lane that may be shared
   */
  static CompletableFuture<Map<Key, Long>> count(PageLane lane, long[] pages) {
    return part(lane, pages, 0, new HashMap<>());
  }

  private static CompletableFuture<Map<Key, Long>> part(
      PageLane lane, long[] pages, int from, Map<Key, Long> counts) {
    if (from >= pages.length) {
      return CompletableFuture.completedFuture(counts);
    }
    int to = Math.min(pages.length, from + PAGES_AT_ONCE);
    return CompletableFuture.runAsync(
            () -> Arrays.stream(pages, from, to).forEach(page -> add(lane, page, counts)), lane)
        .thenCompose(done -> part(lane, pages, to, counts));
  }

  private static void add(PageLane lane, long page, Map<Key, Long> counts) {
    HolderPage held = lane.holders().page(page);
    Slots.forEach(
        held.sharers(), reader -> counts.merge(new Key(PageId.space(page), reader), 1L, Long::sum));
  }
}
