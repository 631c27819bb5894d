package io.gauss.server;

import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.remote.ClusterStatus;
import io.gauss.storage.remote.StatusClient;
import io.gauss.storage.wire.NodeStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** How far a storage node is with the streams that it is to keep. For one thread. */
final class StreamCopies {
  private static final Duration ANSWER = Duration.ofSeconds(2);

  private final MapAccess cluster;
  private final StatusClient client;
  private final int node;

  /**
   * @param client asks all storage nodes
   * @param node the storage node
   */
  StreamCopies(MapAccess cluster, StatusClient client, int node) {
    this.cluster = cluster;
    this.client = client;
    this.node = node;
  }

  /**
   * What the node lacks until it is a member of all groups that it is to keep, and its pages are
   * there; empty if nothing.
   */
  Optional<String> missing() {
    ClusterStatus status = client.status(ANSWER);
    NodeStatus self =
        status.nodes().stream()
            .filter(one -> one.node() == node && one.answers())
            .map(ClusterStatus.Node::status)
            .findAny()
            .orElse(null);
    if (self == null) {
      return Optional.of("storage node " + node + " does not answer");
    }
    for (StreamGroup group : cluster.known().streamGroups().values()) {
      if (group.replicas().contains(node)) {
        Optional<String> lacks = lacks(status, self, group);
        if (lacks.isPresent()) {
          return Optional.of("stream " + group.slot() + ": " + lacks.get());
        }
      }
    }
    return Optional.empty();
  }

  /** The storage nodes that have answered. */
  static Set<Integer> answering(ClusterStatus status) {
    return status.nodes().stream()
        .filter(ClusterStatus.Node::answers)
        .map(ClusterStatus.Node::node)
        .collect(Collectors.toSet());
  }

  /** What the node lacks of a stream; empty if nothing. */
  private static Optional<String> lacks(ClusterStatus status, NodeStatus self, StreamGroup group) {
    Optional<NodeStatus.Replica> own =
        self.replicas().stream().filter(r -> r.stream() == group.slot()).findAny();
    Optional<NodeStatus.Replica> leader =
        status.nodes().stream()
            .filter(ClusterStatus.Node::answers)
            .flatMap(node -> node.status().replicas().stream())
            .filter(replica -> replica.stream() == group.slot() && replica.leads())
            .findAny();
    if (own.isEmpty() || leader.isEmpty()) {
      return Optional.of(leader.isEmpty() ? "no leader answers" : "not begun");
    }
    if (!leader.get().members().equals(group.replicas())) {
      String rebuilt =
          self.problems().stream()
              .filter(problem -> problem.what().contains("rebuilt"))
              .map(problem -> ", " + problem)
              .findAny()
              .orElse("");
      return Optional.of("members are " + leader.get().members() + rebuilt);
    }
    long behind = leader.get().durable() - own.get().applied();
    long near = Math.max(1 << 20, leader.get().durable() / 1000);
    return behind <= near
        ? Optional.empty()
        : Optional.of("pages are " + (behind >> 20) + " MB behind");
  }
}
