package io.gauss.storage.api;

import java.util.concurrent.CompletableFuture;

/**
 * Reads pages at or above a floor, from wherever they are stored. Thread-safe; never blocks its
 * caller.
 */
@FunctionalInterface
public interface PageReader {

  /**
   * Reads a page at or above a floor.
   *
   * @param streamId the stream whose offset is the floor
   * @param atLeastOffset waits (bounded by the read timeout of the page's store) until that stream
   *     is applied this far
   * @param destination off-heap address of 8 KiB that gets the bytes; must stay valid until the
   *     future completes
   * @return the page's LSN, or 0 when the page was never written (the destination is then zeroed).
   *     Fails with XX001 when the bytes on disk do not match their checksum, naming page and file,
   *     and with 57P03 when no store of the page has returned it in time.
   */
  CompletableFuture<Long> readPage(long pageId, int streamId, long atLeastOffset, long destination);
}
