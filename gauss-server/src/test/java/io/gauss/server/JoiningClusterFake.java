package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.NodeAddress;
import io.gauss.storage.map.ClusterMapTransitions;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.remote.ClusterStatus;
import io.gauss.storage.wire.NodeStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A cluster without a network: its map follows the rules, and its groups follow the map at once, as
 * far as their members answer.
 */
final class JoiningClusterFake implements JoinedCluster {
  private static final long BYTES = 100L << 20;

  /** Nobody that joins needs as many. */
  private static final int MOST_PAUSES = 100;

  final Set<Integer> silent = new HashSet<>();

  /** Happens once, while the storage nodes are asked for their status. */
  Runnable meanwhile = () -> {};

  /** The one that joins lacks as many megabytes of pages; one comes in each pause. */
  int lackedMegabytes;

  /** Until then the one that joins is no member of the map's own group. */
  int pausesUntilTheMapIsKept;

  private final int joining;
  private ClusterMap map;
  private ClusterMap known;
  private int pauses;

  /**
   * @param joining the storage node that joins
   */
  JoiningClusterFake(ClusterMap map, int joining) {
    this.map = map;
    this.known = map;
    this.joining = joining;
  }

  /** Another one changes the map. */
  void change(MapCommand change) {
    ClusterMapTransitions.Applied applied = ClusterMapTransitions.apply(map, change);
    if (applied.result() instanceof MapResult.Refused refused) {
      throw new RefusedException(refused.message());
    }
    map = applied.map();
  }

  ClusterMap map() {
    return map;
  }

  List<List<Integer>> replicas() {
    return map.streamGroups().values().stream().map(StreamGroup::replicas).toList();
  }

  @Override
  public ClusterMap known() {
    return known;
  }

  @Override
  public Optional<ClusterMap> ofLeader() {
    return Optional.of(map);
  }

  @Override
  public ClusterStatus status() {
    Runnable now = meanwhile;
    meanwhile = () -> {};
    now.run();
    List<ClusterStatus.Node> nodes = new ArrayList<>();
    for (MapNode node : map.live(Role.STORAGE)) {
      NodeAddress address = new NodeAddress("10.0.0.1", 7001);
      nodes.add(
          silent.contains(node.id())
              ? new ClusterStatus.Node(node.id(), address, null, "timeout")
              : new ClusterStatus.Node(node.id(), address, status(node.id()), null));
    }
    return new ClusterStatus(nodes, List.of());
  }

  private NodeStatus status(int node) {
    List<NodeStatus.Replica> replicas = new ArrayList<>();
    for (StreamGroup group : map.streamGroups().values()) {
      List<Integer> members =
          group.replicas().stream().filter(member -> !silent.contains(member)).toList();
      if (members.contains(node)) {
        replicas.add(replica(group.slot(), node, members));
      }
    }
    return new NodeStatus(node, 0, BYTES, replicas, List.of());
  }

  private NodeStatus.Replica replica(int stream, int node, List<Integer> members) {
    int leader = members.getFirst();
    long applied = node == joining ? BYTES - ((long) lackedMegabytes << 20) : BYTES;
    return new NodeStatus.Replica(
        stream,
        leader,
        true,
        node == leader,
        members,
        1,
        1,
        0,
        0,
        BYTES,
        BYTES,
        1,
        applied,
        0,
        0,
        List.of());
  }

  @Override
  public Set<Integer> keepersOfMap() {
    Set<Integer> keepers = new HashSet<>();
    map.live(Role.STORAGE).forEach(node -> keepers.add(node.id()));
    keepers.removeAll(silent);
    if (pauses < pausesUntilTheMapIsKept) {
      keepers.remove(joining);
    }
    return keepers;
  }

  @Override
  public boolean await(Predicate<ClusterMap> condition) {
    known = map;
    return condition.test(known);
  }

  @Override
  public void propose(MapCommand change) {
    change(change);
  }

  @Override
  public void pause() {
    assertTrue(++pauses < MOST_PAUSES, "it waits for what never comes");
    lackedMegabytes = Math.max(0, lackedMegabytes - 1);
    known = map;
  }
}
