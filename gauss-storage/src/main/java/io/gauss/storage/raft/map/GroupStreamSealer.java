package io.gauss.storage.raft.map;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.service.ClusterMapState;
import io.gauss.storage.map.service.StreamSealer;
import io.gauss.storage.raft.stream.StreamAnswer;
import io.gauss.storage.raft.stream.StreamRequest;
import io.gauss.storage.raft.stream.StreamTransport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Seals streams in their Raft groups. The group of a slot fences every epoch up to the dead one; a
 * repeated call, before a later epoch has begun, returns the same end.
 */
public final class GroupStreamSealer implements StreamSealer {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final ClusterMapState state;
  private final StreamTransport transport;

  public GroupStreamSealer(ClusterMapState state, StreamTransport transport) {
    this.state = state;
    this.transport = transport;
  }

  @Override
  public CompletableFuture<Sealed> seal(int slot, int epoch) {
    StreamGroup group = state.map().streamGroups().get(slot);
    return ask(new StreamRequest.Seal(slot, epoch + 1), group.replicas(), 0);
  }

  private CompletableFuture<Sealed> ask(StreamRequest.Seal request, List<Integer> nodes, int next) {
    if (next == nodes.size()) {
      return CompletableFuture.failedFuture(
          new GaussException(
              SqlState.CANNOT_CONNECT_NOW,
              "none of storage nodes " + nodes + " seals stream " + request.stream()));
    }
    return transport
        .call(nodes.get(next), request, TIMEOUT)
        .thenCompose(
            answer ->
                answer instanceof StreamAnswer.State(var info)
                    ? CompletableFuture.completedFuture(new Sealed(info.end(), info.lastLsn()))
                    : ask(request, nodes, next + 1));
  }
}
