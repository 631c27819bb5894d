package io.gauss.storage.map.client;

import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import java.util.concurrent.CompletableFuture;

/** Sends requests to the map's replica on one storage node. Thread-safe, does not block. */
public interface MapConnection {
  /** The storage node's number. */
  int node();

  /**
   * Sends a request. After a failure it is unknown whether the request was carried out, unless the
   * failure is a {@link io.gauss.common.error.GaussException} of another class than 08: that is the
   * answer.
   *
   * @param timeoutNanos from now
   */
  CompletableFuture<MapAnswer> request(MapRequest request, long timeoutNanos);
}
