package io.gauss.storage.remote;

import io.gauss.common.transport.NodeAddress;
import io.gauss.storage.wire.LogHold;
import io.gauss.storage.wire.NodeStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The storage nodes of a cluster and the streams on them, combined from the nodes' answers. The
 * answers are from different moments, so figures of different replicas may differ by the bytes
 * written in between.
 */
public record ClusterStatus(List<Node> nodes, List<Stream> streams) {
  public ClusterStatus {
    nodes = List.copyOf(nodes);
    streams = List.copyOf(streams);
  }

  /**
   * A storage node.
   *
   * @param node its number
   * @param status null when it has not answered
   * @param failure why not; null when it has answered
   */
  public record Node(int node, NodeAddress address, NodeStatus status, String failure) {
    public boolean answers() {
      return status != null;
    }
  }

  /**
   * A stream.
   *
   * @param leader node that leads it; 0 when none reports to lead
   * @param epoch writers below it are fenced
   * @param start lowest offset that all replicas keep
   * @param end end of the log on the leader
   * @param durable up to here it is on a majority
   * @param replicas by node
   * @param holds what is kept of the log for storage nodes that have subscribed to it
   */
  public record Stream(
      int stream,
      int leader,
      int epoch,
      long start,
      long end,
      long durable,
      List<Replica> replicas,
      List<LogHold> holds) {
    public Stream {
      replicas = List.copyOf(replicas);
      holds = List.copyOf(holds);
    }

    /** Whether enough replicas answer and are alive for writes. */
    public boolean hasMajority() {
      long working = replicas.stream().filter(Replica::works).count();
      return working > replicas.size() / 2;
    }

    /** Durable bytes that the pages of a replica's node lack, as far as is known. */
    public long lagBytes(Replica replica) {
      return Math.max(0, durable - replica.said().applied());
    }
  }

  /** State of a replica of a stream. */
  public enum ReplicaState {
    LEADER,
    FOLLOWER,
    /** Its node answers, but the replica has ended because of a failure, or does not exist. */
    STOPPED,
    /** Its node does not answer. */
    SILENT
  }

  /**
   * A replica.
   *
   * @param said its node's report of it; null when there is none
   */
  public record Replica(int node, ReplicaState state, NodeStatus.Replica said) {
    boolean works() {
      return state == ReplicaState.LEADER || state == ReplicaState.FOLLOWER;
    }
  }

  /** Combines the answers. */
  static ClusterStatus of(Collection<Node> nodes) {
    TreeMap<Integer, Node> byNumber = new TreeMap<>();
    nodes.forEach(node -> byNumber.put(node.node(), node));
    TreeSet<Integer> streams = new TreeSet<>();
    for (Node node : nodes) {
      if (node.answers()) {
        node.status().replicas().forEach(replica -> streams.add(replica.stream()));
      }
    }
    return new ClusterStatus(
        List.copyOf(byNumber.values()),
        streams.stream().map(stream -> stream(stream, byNumber)).toList());
  }

  private static Stream stream(int stream, TreeMap<Integer, Node> nodes) {
    List<NodeStatus.Replica> said = new ArrayList<>();
    nodes.keySet().forEach(node -> said(nodes, node, stream).ifPresent(said::add));
    // A replica that was cut off may still consider itself the leader of an earlier term.
    Optional<NodeStatus.Replica> leader =
        said.stream()
            .filter(replica -> replica.alive() && replica.leads())
            .max(Comparator.comparingLong(NodeStatus.Replica::term));
    NodeStatus.Replica best =
        leader.orElseGet(
            () -> said.stream().max(Comparator.comparingLong(NodeStatus.Replica::durable)).get());
    int leads = leader.map(NodeStatus.Replica::leader).orElse(0);
    List<Replica> replicas = new ArrayList<>();
    for (int node : best.members()) {
      NodeStatus.Replica own = said(nodes, node, stream).orElse(null);
      replicas.add(new Replica(node, state(nodes.get(node), own, leads), own));
    }
    long durable = said.stream().mapToLong(NodeStatus.Replica::durable).max().getAsLong();
    return new Stream(
        stream,
        leads,
        said.stream().mapToInt(NodeStatus.Replica::epoch).max().getAsInt(),
        best.start(),
        Math.max(best.logEnd(), durable),
        durable,
        replicas,
        best.holds());
  }

  private static Optional<NodeStatus.Replica> said(
      TreeMap<Integer, Node> nodes, int node, int stream) {
    Node known = nodes.get(node);
    return known == null || !known.answers()
        ? Optional.empty()
        : known.status().replicas().stream()
            .filter(replica -> replica.stream() == stream)
            .findFirst();
  }

  private static ReplicaState state(Node node, NodeStatus.Replica said, int leader) {
    if (node == null || !node.answers()) {
      return ReplicaState.SILENT;
    }
    if (said == null || !said.alive()) {
      return ReplicaState.STOPPED;
    }
    return node.node() == leader ? ReplicaState.LEADER : ReplicaState.FOLLOWER;
  }

  /** Whether most nodes answer, and all streams have a leader and a majority of their replicas. */
  public boolean isWritable() {
    long answering = nodes.stream().filter(Node::answers).count();
    return answering > nodes.size() / 2
        && streams.stream().allMatch(stream -> stream.leader() != 0 && stream.hasMajority());
  }
}
