package io.gauss.storage.raft.stream;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Carries requests to storage nodes. Thread-safe.
 *
 * <p>Requests may get lost, be answered late, and overtake each other; the stream's client handles
 * that. Requests of one caller to one node should stay in order, since an append that overtakes
 * another is refused and sent again.
 */
@FunctionalInterface
public interface StreamTransport {
  /**
   * Sends a request to a storage node. Completes with {@link StreamAnswer.Unknown} after the
   * timeout, or when the node cannot be reached; never completes exceptionally.
   */
  CompletableFuture<StreamAnswer> call(int node, StreamRequest request, Duration timeout);
}
