package io.gauss.memory.directory;

import io.gauss.storage.map.api.PageBuckets;
import java.util.function.LongConsumer;
import org.agrona.collections.Long2LongHashMap;

/**
 * Which pages of each bucket have an entry, so that a bucket is walked without visiting pages of
 * other buckets. It keeps a bitmap of the 64 pages of each extent. That takes about half a byte of
 * heap for a page if the whole extent is known, and about 30 for a single page. Belongs to one
 * thread.
 */
final class BucketPages {
  private static final long NO_PAGES = 0;
  private static final int PAGE_BITS = PageBuckets.EXTENT_PAGES - 1;

  private final Long2LongHashMap[] extents = new Long2LongHashMap[PageBuckets.BUCKETS];
  private final int[] counts = new int[PageBuckets.BUCKETS];

  void add(long page) {
    int bucket = PageBuckets.of(page);
    Long2LongHashMap map = extents[bucket];
    if (map == null) {
      map = new Long2LongHashMap(NO_PAGES);
      extents[bucket] = map;
    }
    long extent = PageBuckets.extent(page);
    long before = map.get(extent);
    long after = before | bit(page);
    if (after != before) {
      map.put(extent, after);
      counts[bucket]++;
    }
  }

  void remove(long page) {
    int bucket = PageBuckets.of(page);
    Long2LongHashMap map = extents[bucket];
    if (map == null) {
      return;
    }
    long extent = PageBuckets.extent(page);
    long before = map.get(extent);
    long after = before & ~bit(page);
    if (after == before) {
      return;
    }
    counts[bucket]--;
    if (after != NO_PAGES) {
      map.put(extent, after);
    } else {
      map.remove(extent);
      if (map.isEmpty()) {
        extents[bucket] = null;
      }
    }
  }

  int count(int bucket) {
    return counts[bucket];
  }

  /** The bucket's present extents, in no order; later changes to pages do not affect the array. */
  long[] extents(int bucket) {
    Long2LongHashMap map = extents[bucket];
    if (map == null) {
      return new long[0];
    }
    long[] found = new long[map.size()];
    Long2LongHashMap.KeyIterator keys = map.keySet().iterator();
    for (int i = 0; i < found.length; i++) {
      found[i] = keys.nextValue();
    }
    return found;
  }

  /** Pages of the extent that have an entry, by number; the visitor may remove them. */
  void forEach(long extent, LongConsumer visitor) {
    long first = PageBuckets.firstPage(extent);
    Long2LongHashMap map = extents[PageBuckets.of(first)];
    long pages = map == null ? NO_PAGES : map.get(extent);
    while (pages != NO_PAGES) {
      visitor.accept(first + Long.numberOfTrailingZeros(pages));
      pages &= pages - 1;
    }
  }

  private static long bit(long page) {
    return 1L << (page & PAGE_BITS);
  }
}
