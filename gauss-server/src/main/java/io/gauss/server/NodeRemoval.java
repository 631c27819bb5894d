package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.remote.ClusterStatus;
import io.gauss.storage.remote.StatusClient;
import io.gauss.storage.wire.NodeStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Takes the node of a machine out of a cluster for good, without another one in its place: its
 * compute and memory roles are drained if they live, its storage gives up its copies, and its
 * numbers do not come back. Each step may be repeated, so an interrupted removal is continued by
 * the same command. For one thread.
 */
final class NodeRemoval {
  /** With fewer there would be one copy, and no majority to agree on that. */
  private static final int FEWEST_STORAGE_NODES = 2;

  private static final int MAJORITY_WITHOUT_ONE = 3;
  private static final Duration ANSWER = Duration.ofSeconds(2);
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long RECOVERED_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int POLL_MS = 100;

  private final MapAccess cluster;
  private final StatusClient status;
  private final int node;
  private final Consumer<String> say;
  private long toldNanos;

  /**
   * @param node number of the machine's node
   * @param say told what happens
   */
  NodeRemoval(MapAccess cluster, StatusClient status, int node, Consumer<String> say) {
    this.cluster = cluster;
    this.status = status;
    this.node = node;
    this.say = say;
  }

  /**
   * Returns when the cluster has forgotten the node.
   *
   * @param fewerCopies whether one loss more may be too many then
   * @throws RefusedException when that is not possible
   * @throws IllegalStateException when the rest of the cluster does not do its part
   */
  void run(boolean fewerCopies) throws InterruptedException {
    ClusterMap map = cluster.map();
    check(map, fewerCopies);
    for (NodeKind role : List.of(NodeKind.COMPUTE, NodeKind.MEMORY)) {
      int member = member(role);
      if (map.node(member).filter(MapNode::isLive).isPresent()) {
        new NodeDrain(cluster, say).run(member);
      }
    }
    int storage = member(NodeKind.STORAGE);
    if (cluster.known().node(storage).isPresent()) {
      giveUpCopies(storage);
    }
    for (NodeKind role : NodeKind.values()) {
      forget(member(role));
    }
    say.accept("node " + node + " is no part of the cluster any more");
  }

  private int member(NodeKind role) {
    return NodeDescription.number(node, role);
  }

  private void check(ClusterMap map, boolean fewerCopies) {
    List<MapNode> members =
        List.of(NodeKind.values()).stream()
            .flatMap(role -> map.node(member(role)).stream())
            .filter(member -> member.state() != NodeState.REMOVED)
            .toList();
    if (members.isEmpty()) {
      throw new RefusedException("no node " + node + " is in the cluster");
    }
    int storage = member(NodeKind.STORAGE);
    long others = map.live(Role.STORAGE).stream().filter(one -> one.id() != storage).count();
    if (!keeps(map, storage)) {
      return;
    }
    if (others < FEWEST_STORAGE_NODES) {
      throw new RefusedException(
          "node "
              + node
              + " is one of two machines that store, both of which have to answer: the other one"
              + " alone could not agree to anything; put another machine in its place by `gauss"
              + " join --replaces`");
    }
    if (others < MAJORITY_WITHOUT_ONE && !fewerCopies) {
      throw new RefusedException(
          "without node "
              + node
              + " there are two copies of everything, and both have to answer; add --fewer-copies"
              + " if that is wanted, or put another machine in its place by `gauss join"
              + " --replaces`");
    }
  }

  private static boolean keeps(ClusterMap map, int storage) {
    return map.node(storage).filter(MapNode::isLive).isPresent()
        || map.streamGroups().values().stream().anyMatch(g -> g.replicas().contains(storage));
  }

  private void giveUpCopies(int storage) throws InterruptedException {
    int others =
        (int) cluster.known().live(Role.STORAGE).stream().filter(n -> n.id() != storage).count();
    if (cluster.known().settings().get(ClusterSetting.STREAM_REPLICAS) > others) {
      cluster.propose(new MapCommand.ChangeSetting(ClusterSetting.STREAM_REPLICAS, others));
    }
    while (moveAway(storage) || !areLeft(storage)) {
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    if (cluster.known().node(storage).filter(MapNode::isLive).isPresent()) {
      cluster.propose(new MapCommand.RetireStorage(storage));
      say.accept("storage node " + storage + " is retired");
    }
  }

  /** Whether any stream was still to be kept by the node. */
  private boolean moveAway(int storage) throws InterruptedException {
    boolean moved = false;
    for (StreamGroup group : cluster.known().streamGroups().values()) {
      if (group.replicas().contains(storage)) {
        List<Integer> rest = group.replicas().stream().filter(n -> n != storage).toList();
        int leader = group.preferredLeader() == storage ? rest.getFirst() : group.preferredLeader();
        cluster.propose(new MapCommand.ChangeReplicas(group.slot(), rest, leader));
        say.accept("stream %d is to be kept by storage nodes %s".formatted(group.slot(), rest));
        moved = true;
      }
    }
    return moved;
  }

  /** Whether all groups go on without the node: until then they may need it for a majority. */
  private boolean areLeft(int storage) {
    ClusterStatus now = status.status(ANSWER);
    for (StreamGroup group : cluster.known().streamGroups().values()) {
      Optional<NodeStatus.Replica> leader =
          now.nodes().stream()
              .filter(ClusterStatus.Node::answers)
              .flatMap(one -> one.status().replicas().stream())
              .filter(replica -> replica.stream() == group.slot() && replica.leads())
              .findAny();
      if (leader.isEmpty() || leader.get().members().contains(storage)) {
        tell(
            "stream %d: %s"
                .formatted(
                    group.slot(),
                    leader
                        .map(replica -> "members are " + replica.members())
                        .orElse("no leader answers")));
        return false;
      }
    }
    return true;
  }

  /** Once its death is recovered from. */
  private void forget(int member) throws InterruptedException {
    long begin = System.nanoTime();
    while (isKnown(member)) {
      try {
        cluster.propose(new MapCommand.RemoveNode(member));
        cluster.await(map -> !isKnown(map, member), ANSWER.toSeconds());
      } catch (RefusedException e) {
        if (System.nanoTime() - begin > RECOVERED_NANOS) {
          throw new IllegalStateException(e.getMessage(), e);
        }
        tell(e.getMessage());
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      }
    }
  }

  private boolean isKnown(int member) {
    return isKnown(cluster.known(), member);
  }

  private static boolean isKnown(ClusterMap map, int member) {
    return map.node(member).filter(node -> node.state() != NodeState.REMOVED).isPresent();
  }

  private void tell(String progress) {
    if (System.nanoTime() - toldNanos > TELL_NANOS) {
      toldNanos = System.nanoTime();
      say.accept(progress);
    }
  }
}
