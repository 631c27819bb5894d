package io.gauss.storage.map.service;

import java.util.concurrent.CompletableFuture;

/** Seals the streams of dead epochs. */
@FunctionalInterface
public interface StreamSealer {
  /**
   * Closes the stream for ever; repeated calls return the same answer. Must not block; a failed
   * call is repeated.
   */
  CompletableFuture<Sealed> seal(int slot, int epoch);

  /**
   * The end of a stream.
   *
   * @param lastLsn highest LSN in it, 0 when it is empty
   */
  record Sealed(long endOffset, long lastLsn) {}
}
