package io.gauss.storage.local.pages;

import java.util.function.LongSupplier;

/**
 * Settings of a {@link LocalPageStore}.
 *
 * @param pendingLimitBytes memory for records that are not folded yet; at half of it folding starts
 *     in the background, at the limit {@code apply} blocks
 * @param imageBytes memory for folded pages, most of which are not written yet
 * @param readThreads platform threads that read and fold for {@code readPage}
 * @param readTimeoutMillis how long a read waits for its floor
 * @param memtableBytes size of RocksDB's write buffer, of which there are up to three
 * @param minFreeBytes free space below which nothing is written and checkpoints fail with 53100
 * @param writeBytesPerSecond maximum number of bytes that RocksDB writes in a second by flushes and
 *     compactions
 * @param freeBytes returns the free space; null = ask the file system
 * @param apply how records change pages
 */
public record PageStoreSettings(
    long pendingLimitBytes,
    long imageBytes,
    int readThreads,
    long readTimeoutMillis,
    long memtableBytes,
    long minFreeBytes,
    long writeBytesPerSecond,
    LongSupplier freeBytes,
    PageApply apply) {

  public static PageStoreSettings defaults() {
    return new PageStoreSettings(
        128L << 20, 64L << 20, 2, 30_000, 64L << 20, 64L << 20, 256L << 20, null, PageApply.REDO);
  }

  public PageStoreSettings withApply(PageApply pageApply) {
    return new PageStoreSettings(
        pendingLimitBytes,
        imageBytes,
        readThreads,
        readTimeoutMillis,
        memtableBytes,
        minFreeBytes,
        writeBytesPerSecond,
        freeBytes,
        pageApply);
  }

  /** With other memory sizes. */
  public PageStoreSettings withMemory(long pendingLimit, long images, long memtable) {
    return new PageStoreSettings(
        pendingLimit,
        images,
        readThreads,
        readTimeoutMillis,
        memtable,
        minFreeBytes,
        writeBytesPerSecond,
        freeBytes,
        apply);
  }

  public PageStoreSettings withWriteBytesPerSecond(long bytes) {
    return new PageStoreSettings(
        pendingLimitBytes,
        imageBytes,
        readThreads,
        readTimeoutMillis,
        memtableBytes,
        minFreeBytes,
        bytes,
        freeBytes,
        apply);
  }

  public PageStoreSettings withPendingLimit(long bytes) {
    return withMemory(bytes, imageBytes, memtableBytes);
  }

  public PageStoreSettings withReadTimeoutMillis(long millis) {
    return new PageStoreSettings(
        pendingLimitBytes,
        imageBytes,
        readThreads,
        millis,
        memtableBytes,
        minFreeBytes,
        writeBytesPerSecond,
        freeBytes,
        apply);
  }

  /** With another source of the free space. */
  public PageStoreSettings withFreeBytes(LongSupplier supplier) {
    return new PageStoreSettings(
        pendingLimitBytes,
        imageBytes,
        readThreads,
        readTimeoutMillis,
        memtableBytes,
        minFreeBytes,
        writeBytesPerSecond,
        supplier,
        apply);
  }
}
