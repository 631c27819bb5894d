package io.gauss.storage.local.pages;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The pages with records that wait for another stream, and for each stream the offset of the first
 * such record: a stream counts as applied only up to there (rules 18, 28).
 *
 * <p>When one stream is behind, thousands of pages may be parked while the others continue, so the
 * offsets are kept sorted and the lowest is not searched for. Guarded by the store's lock.
 */
final class ParkedPages {
  /** By stream, how many pages have their first parked record of the stream at an offset. */
  private final Map<Integer, TreeMap<Long, Integer>> firsts = new HashMap<>();

  private int pages;

  boolean isEmpty() {
    return pages == 0;
  }

  int count() {
    return pages;
  }

  /** The page's state is not known yet: every record of it that arrives is parked. */
  void expect(PageEntry entry) {
    if (!entry.gap) {
      entry.gap = true;
      entry.parked = new TreeMap<>();
      pages++;
    }
  }

  /** Notes that a record of the page waits; its MTR is at this offset of the stream. */
  void park(PageEntry entry, int stream, long mtrOffset) {
    expect(entry);
    Long before = entry.parked.get(stream);
    if (before != null && before <= mtrOffset) {
      return;
    }
    TreeMap<Long, Integer> ofStream = firsts.computeIfAbsent(stream, s -> new TreeMap<>());
    if (before != null) {
      remove(ofStream, before);
    }
    entry.parked.put(stream, mtrOffset);
    ofStream.merge(mtrOffset, 1, Integer::sum);
  }

  /** All the page's records are known to join. */
  void unpark(PageEntry entry) {
    if (entry.gap) {
      entry.parked.forEach((stream, offset) -> remove(firsts.get(stream), offset));
      entry.gap = false;
      entry.parked = null;
      pages--;
    }
  }

  private static void remove(TreeMap<Long, Integer> ofStream, long offset) {
    ofStream.computeIfPresent(offset, (at, count) -> count == 1 ? null : count - 1);
  }

  /** Offset of the first parked record of a stream; {@link Long#MAX_VALUE} when it has none. */
  long first(int stream) {
    if (pages == 0) {
      return Long.MAX_VALUE;
    }
    TreeMap<Long, Integer> ofStream = firsts.get(stream);
    return ofStream == null || ofStream.isEmpty() ? Long.MAX_VALUE : ofStream.firstKey();
  }
}
