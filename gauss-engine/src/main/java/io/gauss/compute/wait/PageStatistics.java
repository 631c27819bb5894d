package io.gauss.compute.wait;

import io.gauss.common.id.PageId;

/**
 * The page accesses of one context: how many found their page in the buffer pool, how many had it
 * loaded, and how many of these from another node; and the watcher to notify of each. Used by the
 * thread that runs the session.
 */
public final class PageStatistics {
  /** Page accesses between two reports to the pool's counter; a power of two. */
  private static final int HIT_BATCH = 1024;

  private final Waits waits;
  private long hits;
  private long hitMask = HIT_BATCH - 1;
  private PageAccesses watcher; // null when nobody watches
  private long misses;
  private long remote;
  private long remoteNanos;
  private long pageOfNode; // the last page that came from a compute node to be written

  public PageStatistics(Waits waits) {
    this.waits = waits;
  }

  /**
   * Counts an access that found its page in the buffer pool.
   *
   * @return whether {@link #reportHit} is to be called
   */
  public boolean countHit() {
    // The mask of a watched context is 0, so that watching costs other contexts no branch.
    return (++hits & hitMask) == 0;
  }

  /**
   * Notifies the watcher, if any, of the access that was counted, with the page's latch held.
   *
   * @return accesses to add to the pool's counter
   */
  public int reportHit(long pageId, long address, boolean write) {
    if (watcher != null) {
      watcher.accessed(pageId, address, write);
    }
    return (hits & (HIT_BATCH - 1)) == 0 ? HIT_BATCH : 0;
  }

  /** Sets the watcher of all page accesses from now on; null = none. */
  public void watch(PageAccesses accesses) {
    watcher = accesses;
    hitMask = accesses == null ? HIT_BATCH - 1 : 0;
  }

  /** Counts a page that had to be loaded. */
  public void countMiss() {
    misses++;
  }

  /**
   * Counts one of the {@linkplain #countMiss missed} pages that came from another node, or the
   * right to which did, after the wait for it.
   *
   * @param fromCompute the page, if it came from a compute node to be written; otherwise {@link
   *     PageId#NONE}
   */
  public void countRemote(long fromCompute) {
    remote++;
    remoteNanos += waits.lastNanos();
    pageOfNode = fromCompute;
  }

  /** Whether the page has just come from another compute node to be written; true once. */
  public boolean hasJustCome(long pageId) {
    if (pageOfNode != pageId) {
      return false;
    }
    pageOfNode = PageId.NONE;
    return true;
  }

  /**
   * Page accesses so far that found the page in the buffer pool. EXPLAIN ANALYZE takes differences.
   */
  public long hits() {
    return hits;
  }

  /** Pages that had to be loaded so far. */
  public long misses() {
    return misses;
  }

  /** How many of {@link #misses} came from other nodes so far. */
  public long remote() {
    return remote;
  }

  /** How long these were waited for. */
  public long remoteNanos() {
    return remoteNanos;
  }
}
