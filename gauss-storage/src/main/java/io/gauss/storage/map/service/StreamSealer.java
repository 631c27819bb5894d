package io.gauss.storage.map.service;

import java.util.concurrent.CompletableFuture;

/** Seals the streams of dead epochs. */
@FunctionalInterface
public interface StreamSealer {
  /**
   * Closes the stream for ever; again and again with the same answer. Must not block; when it fails
   * it is tried again.
   */
  CompletableFuture<Sealed> seal(int slot, int epoch);

  /**
   * Where a stream ends.
   *
   * @param lastLsn highest LSN in it, 0 when it is empty
   */
  record Sealed(long endOffset, long lastLsn) {}
}
