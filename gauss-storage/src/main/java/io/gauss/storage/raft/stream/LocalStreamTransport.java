package io.gauss.storage.raft.stream;

import io.gauss.common.task.Later;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/**
 * Carries requests to storage nodes in the same process: embedded use, and tests. Thread-safe;
 * nodes may be added and removed.
 */
public final class LocalStreamTransport implements StreamTransport {
  private final ConcurrentMap<Integer, StreamService> services = new ConcurrentHashMap<>();

  public void connect(int node, StreamService service) {
    services.put(node, service);
  }

  public void disconnect(int node) {
    services.remove(node);
  }

  @Override
  public CompletableFuture<StreamAnswer> call(int node, StreamRequest request, Duration timeout) {
    StreamService service = services.get(node);
    if (service == null) {
      return CompletableFuture.completedFuture(
          new StreamAnswer.Unknown("storage node " + node + " is not there"));
    }
    return Later.completeAfter(
        service.handle(request),
        timeout.toMillis(),
        TimeUnit.MILLISECONDS,
        () -> new StreamAnswer.Unknown("storage node " + node + " has not answered"));
  }
}
