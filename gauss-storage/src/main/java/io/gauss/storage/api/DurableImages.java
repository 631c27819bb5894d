package io.gauss.storage.api;

/**
 * Pages as a compute node in the same process holds them now. They may replace folding: the bytes
 * are the same, since both sides change pages with the same function (law 1, do = redo).
 */
@FunctionalInterface
public interface DurableImages {
  /**
   * Copies a page out if it is present, owned, and all of its redo is durable (law 3, log before
   * leave). Thread-safe; never waits.
   *
   * @param destination off-heap address of 8 KiB, unspecified bytes after 0 was returned
   * @return the page's LSN; 0 when there is no such image
   */
  long copy(long pageId, long destination);
}
