package io.gauss.server;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.Transport;
import io.gauss.storage.api.LogSource;
import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.raft.stream.ClientSettings;
import io.gauss.storage.raft.stream.NetStreamTransport;
import io.gauss.storage.raft.stream.ReplicatedLogStream;
import io.gauss.storage.remote.ClusterStatus;
import io.gauss.storage.remote.StatusClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * A stream on the storage nodes of a cluster, read as any client may read it: no epoch is opened.
 */
final class ClusterLog implements LogAccess {
  private static final Duration STATUS_DEADLINE = Duration.ofSeconds(2);
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final Transport transport;
  private final StatusClient client;
  private final ReplicatedLogStream stream;

  private ClusterLog(Transport transport, StatusClient client, ReplicatedLogStream stream) {
    this.transport = transport;
    this.client = client;
    this.stream = stream;
  }

  /**
   * @throws RefusedException when the storage nodes have no such stream
   * @throws GaussException 57P03 when none answers, or no majority of the stream's nodes
   */
  static ClusterLog open(ClusterAccess access, int number) {
    Transport transport = access.connect();
    try {
      return open(access, number, transport);
    } catch (RuntimeException | Error e) {
      try (transport) {
        throw e;
      }
    }
  }

  private static ClusterLog open(ClusterAccess access, int number, Transport transport) {
    StatusClient client = new StatusClient(transport, access.nodes());
    client.map(STATUS_DEADLINE);
    ClusterStatus.Stream found = find(client.status(STATUS_DEADLINE), number);
    List<Integer> replicas =
        new ArrayList<>(found.replicas().stream().map(ClusterStatus.Replica::node).toList());
    if (replicas.remove((Integer) found.leader())) {
      replicas.addFirst(found.leader());
    }
    ReplicatedLogStream stream =
        ReplicatedLogStream.open(
            number,
            replicas,
            new NetStreamTransport(transport.allocator(), client.peers()),
            ClientSettings.defaults().withDeadline(DEADLINE));
    return new ClusterLog(transport, client, stream);
  }

  private static ClusterStatus.Stream find(ClusterStatus status, int number) {
    if (status.nodes().stream().noneMatch(ClusterStatus.Node::answers)) {
      throw new GaussException(
          SqlState.CANNOT_CONNECT_NOW,
          "no storage node answers: "
              + status.nodes().stream()
                  .map(ClusterStatus.Node::failure)
                  .collect(Collectors.joining("; ")));
    }
    return status.streams().stream()
        .filter(stream -> stream.stream() == number)
        .findFirst()
        .orElseThrow(
            () ->
                new RefusedException(
                    "--stream %d: the storage nodes have no such stream; they have: %s"
                        .formatted(
                            number,
                            status.streams().isEmpty()
                                ? "none"
                                : status.streams().stream()
                                    .map(stream -> "" + stream.stream())
                                    .collect(Collectors.joining(", ")))));
  }

  private LogSource source() {
    return stream;
  }

  @Override
  public long startOffset() {
    return source().startOffset();
  }

  @Override
  public OptionalLong locate(long csn) {
    return source().locate(csn);
  }

  @Override
  public LogReader read(long fromOffset) {
    return source().read(fromOffset);
  }

  @Override
  public void close() {
    stream.close();
    client.close();
    transport.close();
  }
}
