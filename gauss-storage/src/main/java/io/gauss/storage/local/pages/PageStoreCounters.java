package io.gauss.storage.local.pages;

import java.util.concurrent.atomic.LongAdder;

/** Counters of a page store since it was opened, see {@link PageStoreStats}. */
final class PageStoreCounters {
  final LongAdder records = new LongAdder();
  final LongAdder recordBytes = new LongAdder();
  final LongAdder reads = new LongAdder();
  final LongAdder foldCount = new LongAdder();
  final LongAdder foldedRecords = new LongAdder();
  final LongAdder pagesLoaded = new LongAdder();
  final LongAdder pagesStoodIn = new LongAdder();
  final LongAdder pagesWritten = new LongAdder();
  final LongAdder pagesScrubbed = new LongAdder();
  final LongAdder pagesRepaired = new LongAdder();
  final LongAdder spacesDeleted = new LongAdder();
  final LongAdder checkpoints = new LongAdder();
  final LongAdder checkpointNanos = new LongAdder();

  /** All counters with the store's present state; the index's lock is held. */
  PageStoreStats stats(PageIndex index, long reclaimedBytes, long applyWaitNanos) {
    return new PageStoreStats(
        records.sum(),
        recordBytes.sum(),
        reads.sum(),
        foldCount.sum(),
        foldedRecords.sum(),
        pagesLoaded.sum(),
        pagesStoodIn.sum(),
        pagesWritten.sum(),
        pagesScrubbed.sum(),
        pagesRepaired.sum(),
        spacesDeleted.sum(),
        reclaimedBytes,
        checkpoints.sum(),
        checkpointNanos.sum(),
        applyWaitNanos,
        index.pendingBytes(),
        index.pendingMemory(),
        index.imagesUsed(),
        index.parkedPages());
  }
}
