package io.gauss.storage.remote;

import io.gauss.common.error.GaussException;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.client.PeerMapConnection;
import io.gauss.storage.map.client.StorageConnections;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import io.gauss.storage.wire.GroupLayout;
import io.gauss.storage.wire.GroupLayout.Standing;
import io.gauss.storage.wire.NodeStatus;
import io.gauss.storage.wire.NodeStatusLayout;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Queries the status of a cluster's storage nodes, for operators' tools; it is no member of the
 * cluster. It queries the configured nodes and, once the cluster map is known, those in the map.
 * Calls wait for the answers. Thread-safe.
 */
public final class StatusClient implements AutoCloseable {
  private final Transport transport;
  private final StorageConnections connections;

  /**
   * Begins to connect.
   *
   * @param transport the caller closes it
   */
  public StatusClient(Transport transport, List<StorageAddress> nodes) {
    this.transport = transport;
    this.connections =
        new StorageConnections(
            transport,
            nodes.stream()
                .collect(Collectors.toMap(StorageAddress::node, StorageAddress::address)));
  }

  /** Queries all nodes at once; nodes that do not answer within the time are shown as such. */
  public ClusterStatus status(Duration timeout) {
    List<CompletableFuture<ClusterStatus.Node>> answers =
        connections.peers().entrySet().stream()
            .map(peer -> ask(peer.getKey(), peer.getValue(), timeout))
            .toList();
    return ClusterStatus.of(answers.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<ClusterStatus.Node> ask(int node, Peer peer, Duration timeout) {
    ByteBuf request = NodeStatusLayout.writeRequest(transport.allocator().buffer(4));
    return peer.call(StorageMessages.NODE_STATUS, request, timeout.toNanos())
        .thenApply(StatusClient::read)
        .handle(
            (status, failure) ->
                new ClusterStatus.Node(
                    node, peer.address(), status, failure == null ? null : reason(failure)));
  }

  private static NodeStatus read(ByteBuf reply) {
    try {
      return NodeStatusLayout.read(reply);
    } finally {
      reply.release();
    }
  }

  private static String reason(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  /**
   * The leader's cluster map; empty when no node reports to lead. From then on the storage nodes in
   * it are queried. The one that leads need not be among those that were configured: others know of
   * it.
   */
  public Optional<MapAnswer.Status> map(Duration timeout) {
    Optional<MapAnswer.Status> told = ofLeader(timeout);
    return told.isEmpty() && learn(timeout) ? ofLeader(timeout) : told;
  }

  private Optional<MapAnswer.Status> ofLeader(Duration timeout) {
    Optional<MapAnswer.Status> told =
        answers(new MapRequest.Status(), timeout)
            .filter(MapAnswer.Status.class::isInstance)
            .map(MapAnswer.Status.class::cast)
            .findFirst();
    told.ifPresent(status -> connections.follow(status.map()));
    return told;
  }

  /** Whether any node knows of storage nodes that were not asked. */
  private boolean learn(Duration timeout) {
    Set<Integer> asked = connections.peers().keySet();
    answers(new MapRequest.Snapshot(), timeout)
        .filter(MapAnswer.Snapshot.class::isInstance)
        .map(MapAnswer.Snapshot.class::cast)
        .forEach(known -> connections.learn(known.snapshot().map()));
    return !asked.containsAll(connections.peers().keySet());
  }

  /** Asks all nodes at once; waits for one answer after the other, as they are wanted. */
  private Stream<MapAnswer> answers(MapRequest question, Duration timeout) {
    List<CompletableFuture<MapAnswer>> asked =
        connections.peers().entrySet().stream()
            .map(
                peer ->
                    new PeerMapConnection(peer.getKey(), peer.getValue())
                        .request(question, timeout.toNanos()))
            .toList();
    return asked.stream().map(StatusClient::answered).filter(Objects::nonNull);
  }

  /**
   * The members of a Raft group by the node that leads it; empty when no node reports to lead, or
   * the members are being changed.
   */
  public Set<Integer> members(UUID group, Duration timeout) {
    List<CompletableFuture<Standing>> answers =
        connections.peers().values().stream().map(peer -> ask(peer, group, timeout)).toList();
    return answers.stream()
        .map(CompletableFuture::join)
        .filter(standing -> standing.leads() && standing.settled())
        .map(Standing::members)
        .findAny()
        .orElse(Set.of());
  }

  private CompletableFuture<Standing> ask(Peer peer, UUID group, Duration timeout) {
    ByteBuf question =
        GroupLayout.write(transport.allocator().buffer(GroupLayout.QUESTION_BYTES), group);
    return peer.call(StorageMessages.GROUP, question, timeout.toNanos())
        .thenApply(
            reply -> {
              try {
                return GroupLayout.read(reply);
              } finally {
                reply.release();
              }
            })
        .exceptionally(failure -> Standing.NONE);
  }

  /** Null when the node does not answer, or keeps no cluster map. */
  private static MapAnswer answered(CompletableFuture<MapAnswer> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof GaussException) {
        return null;
      }
      throw e;
    }
  }

  /** Connections with the storage nodes, by number; closed with this. */
  public Map<Integer, Peer> peers() {
    return connections.peers();
  }

  @Override
  public void close() {
    connections.close();
  }
}
