package io.gauss.compute.buffer;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How far the page store must have come before a page may be read back: the stream offset that held
 * everything of a page when its frame was dropped, kept per stripe of page ids (rule 18).
 * Monotonic, so a page that shares its stripe with a newer one waits a little longer than needed
 * and never reads too old a version.
 */
final class ReadFloors {
  private static final int STRIPES = 4096;

  private final AtomicLongArray floors = new AtomicLongArray(STRIPES);

  /**
   * Raised before the frame leaves the hash table, so that a thread that misses the page sees the
   * new floor.
   */
  void raise(long pageId, long offset) {
    int stripe = stripe(pageId);
    long floor = floors.get(stripe);
    while (floor < offset && !floors.compareAndSet(stripe, floor, offset)) {
      floor = floors.get(stripe);
    }
  }

  long floor(long pageId) {
    return floors.get(stripe(pageId));
  }

  private static int stripe(long pageId) {
    return Frames.hash(pageId) & (STRIPES - 1);
  }
}
