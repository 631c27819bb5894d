package io.gauss.storage.local.pages;

/**
 * Counters of a {@link LocalPageStore} since it was opened, and its present state.
 *
 * @param records records taken
 * @param recordBytes their bytes
 * @param reads pages read
 * @param folds how often records were folded into a page
 * @param foldedRecords records folded
 * @param pagesLoaded pages read from RocksDB
 * @param pagesStoodIn pages taken from a compute node in the same process instead of folding
 * @param pagesWritten pages written to RocksDB
 * @param pagesScrubbed pages on disk that were checked for damage
 * @param pagesRepaired damaged pages that were replaced by another replica's copy
 * @param spacesDeleted dropped spaces whose pages were deleted
 * @param reclaimedBytes bytes of the disk that were given back for that
 * @param checkpoints checkpoints done
 * @param checkpointNanos time spent in them
 * @param applyWaitNanos time that {@code apply} was blocked by the memory limit
 * @param pendingBytes bytes of records not folded yet
 * @param pendingMemory memory that they take
 * @param images folded pages in memory
 * @param parkedPages pages with records that wait for another stream
 */
public record PageStoreStats(
    long records,
    long recordBytes,
    long reads,
    long folds,
    long foldedRecords,
    long pagesLoaded,
    long pagesStoodIn,
    long pagesWritten,
    long pagesScrubbed,
    long pagesRepaired,
    long spacesDeleted,
    long reclaimedBytes,
    long checkpoints,
    long checkpointNanos,
    long applyWaitNanos,
    long pendingBytes,
    long pendingMemory,
    int images,
    int parkedPages) {}
