package io.gauss.compute.buffer;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Pages from page stores that apply the redo of several nodes. Thread-safe; never blocks. */
@FunctionalInterface
public interface PageFetch {

  /**
   * Reads a page.
   *
   * @param leastLsn that it must have at least; 0 = any
   * @param floors offsets, by the number of the stream, that the page store must have applied
   * @param destination address of 8 KiB, valid until the future completes
   * @return the page's LSN, 0 when it was never written
   */
  CompletableFuture<Long> read(
      long pageId, long leastLsn, Map<Integer, Long> floors, long destination);
}
