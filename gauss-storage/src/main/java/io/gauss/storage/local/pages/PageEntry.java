package io.gauss.storage.local.pages;

import java.util.Map;

/**
 * The store's state in memory of one page: records to be folded and the folded page. Guarded by the
 * store's lock, except that the image's bytes belong to the thread that set {@code busy}.
 *
 * <p>States: idle, or busy (a thread folds, copies or writes it). While it is busy, new records are
 * added to a new chain.
 */
final class PageEntry {
  final long pageId;

  long firstBlock;
  long lastBlock;
  int pendingBytes;

  /** Highest known LSN of the page, of the image or of a record. */
  long tailLsn;

  /** Records were added out of LSN order. */
  boolean unsorted;

  /** Not all records are known to join; the page is parked. */
  boolean gap;

  /** First MTR offset of parked records, by stream; null without a gap. */
  Map<Integer, Long> parked;

  /**
   * All its records are parked: folding it does nothing until a record arrives that may close the
   * gap.
   */
  boolean stuck;

  /** It is in the list of pages that must be checked for whether their records join. */
  boolean unresolved;

  boolean busy;

  /** Address of the folded page, 0 = none. */
  long image;

  long imageLsn;

  /** The image is newer than what RocksDB has. */
  boolean dirty;

  /** The image was used since the eviction hand last passed it. */
  boolean referenced;

  /** Position of the entry in the list of entries with images. */
  int imageIndex;

  PageEntry(long pageId) {
    this.pageId = pageId;
  }

  boolean hasRecords() {
    return firstBlock != 0;
  }

  boolean hasFoldableRecords() {
    return hasRecords() && !stuck;
  }

  /** Whether RocksDB has all of the page and no thread uses the entry. */
  boolean isNeedless() {
    return firstBlock == 0 && image == 0 && !busy;
  }
}
