package io.gauss.storage.map.api;

/**
 * Which bucket a page belongs to: all pages of an extent belong to the same one, so that one
 * message can request them. Every node has to compute the same, so this function is a format: it
 * never changes.
 */
public final class PageBuckets {
  public static final int BUCKETS = BucketMap.BUCKETS;

  /** Consecutive pages of a space that belong together. */
  public static final int EXTENT_PAGES = 64;

  private static final int EXTENT_SHIFT = 6;
  private static final int BUCKET_BITS = Integer.numberOfTrailingZeros(BUCKETS);

  private PageBuckets() {}

  /** The bucket of the page, 0 to 4,095. */
  public static int of(long page) {
    return ofKey(extent(page));
  }

  /**
   * The bucket of any object that has a home and is identified by a number. Extents are numbered
   * densely, so all bits are mixed into those that select the bucket (the finalizer of
   * MurmurHash3).
   */
  public static int ofKey(long key) {
    long h = key;
    h = (h ^ (h >>> 33)) * 0xFF51AFD7ED558CCDL;
    h = (h ^ (h >>> 33)) * 0xC4CEB9FE1A85EC53L;
    h ^= h >>> 33;
    return (int) (h >>> (Long.SIZE - BUCKET_BITS));
  }

  /**
   * The extent of the page: space in the high 32 bits of 58, number of the extent in the low 26.
   */
  public static long extent(long page) {
    return page >>> EXTENT_SHIFT;
  }

  public static long firstPage(long extent) {
    return extent << EXTENT_SHIFT;
  }
}
