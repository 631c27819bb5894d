package io.gauss.storage.local.pages;

import java.util.Map;

/**
 * What the store has in memory about one page: records to be folded and the folded page. Guarded by
 * the store's lock, except that the image's bytes belong to whoever set {@code busy}.
 *
 * <p>States: idle, or busy (somebody folds, copies or writes it). While it is busy new records are
 * added to a new chain.
 */
final class PageEntry {
  final long pageId;

  long firstBlock;
  long lastBlock;
  int pendingBytes;

  /** Highest LSN known of the page, be it of the image or of a record. */
  long tailLsn;

  /** Records were added that are older than others before them. */
  boolean unsorted;

  /** Not all records are known to join; the page is parked. */
  boolean gap;

  /** First MTR offset of parked records, by stream; null without a gap. */
  Map<Integer, Long> parked;

  /** All its records are parked: folding it does nothing until one comes that may close the gap. */
  boolean stuck;

  /** It is in the list of those of which it has to be found out whether their records join. */
  boolean unresolved;

  boolean busy;

  /** Address of the folded page, 0 = none. */
  long image;

  long imageLsn;

  /** The image is newer than what RocksDB has. */
  boolean dirty;

  /** The image was used since the eviction hand came by. */
  boolean referenced;

  /** Where the entry is in the list of those with images. */
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

  /** Whether everything of it is in RocksDB and nobody is at it. */
  boolean isNeedless() {
    return firstBlock == 0 && image == 0 && !busy;
  }
}
