package io.gauss.storage.api;

/**
 * Pages as a compute node in the same process holds them now. They may stand in for folding: the
 * bytes are the same, since both sides change pages by the same function (law 1, do = redo), and
 * the node has them at hand.
 */
@FunctionalInterface
public interface DurableImages {
  /**
   * Copies a page out if it is there, owned, and all of its redo is durable (law 3, log before
   * leave). Thread-safe; never waits.
   *
   * @param destination off-heap address of 8 KiB, unspecified bytes after 0 was returned
   * @return the page's LSN; 0 when there is no such image at hand
   */
  long copy(long pageId, long destination);
}
