package io.gauss.server;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.remote.ClusterStatus;
import io.gauss.storage.wire.NodeStatus;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** How far a storage node is with the streams that it is to keep. */
final class StreamCopies {
  private static final long NEAR_BYTES = 1 << 20;

  private StreamCopies() {}

  /**
   * What a node lacks until it is a member of all groups that it is to keep, nobody is who is not
   * to keep them, and its pages are there; empty if nothing. Others that are to keep a stream need
   * not do so yet: one that joins at the same time may never come.
   *
   * @param status as told after the map was read
   * @param node the storage node
   */
  static Optional<String> missing(ClusterStatus status, ClusterMap map, int node) {
    NodeStatus self =
        status.nodes().stream()
            .filter(one -> one.node() == node && one.answers())
            .map(ClusterStatus.Node::status)
            .findAny()
            .orElse(null);
    if (self == null) {
      return Optional.of("storage node " + node + " does not answer");
    }
    for (StreamGroup group : map.streamGroups().values()) {
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
    List<Integer> members = leader.get().members();
    if (!members.contains(self.node()) || !group.replicas().containsAll(members)) {
      String rebuilt =
          self.problems().stream()
              .filter(problem -> problem.what().contains("rebuilt"))
              .map(problem -> ", " + problem)
              .findAny()
              .orElse("");
      return Optional.of("members are " + members + rebuilt);
    }
    long behind = leader.get().durable() - own.get().applied();
    long near = Math.max(NEAR_BYTES, leader.get().durable() / 1000);
    return behind <= near
        ? Optional.empty()
        : Optional.of("pages are " + (behind >> 20) + " MB behind");
  }
}
