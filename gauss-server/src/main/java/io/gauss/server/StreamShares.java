package io.gauss.server;

import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapReplicas;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.remote.ClusterStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Gives a new storage node what the others keep: every stream, since each storage node keeps all
 * pages. With one storage node there is one copy of everything, with two there are two, and so on;
 * a storage node that is away does not make them fewer. Or it takes the place of one that is lost.
 *
 * <p>Every step may be repeated, also by several nodes that join at the same time: each goes on
 * until the map is as it should be by its own view, with itself and all others that answer, since a
 * change that another one proposed by an older map may have come later. Those that do not answer
 * are left as they are, and are not waited for; and a node that was complete when it started
 * changes nothing, so that none brings back what another one replaces. For one thread.
 */
final class StreamShares {
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final JoinedCluster cluster;
  private final Consumer<String> progress;
  private long toldNanos = System.nanoTime();

  /**
   * @param progress told every two seconds what is waited for
   */
  StreamShares(JoinedCluster cluster, Consumer<String> progress) {
    this.cluster = cluster;
    this.progress = progress;
  }

  /**
   * Waits until a majority of the members of the cluster map agrees on a leader, and its map is
   * known here: the storage node of this machine may tell the one from before it was stopped.
   */
  void awaitLeader() throws InterruptedException {
    Optional<ClusterMap> told = cluster.ofLeader();
    while (told.isEmpty()) {
      tell("no majority of the storage nodes answers yet");
      cluster.pause();
      told = cluster.ofLeader();
    }
    long version = told.get().version();
    while (!cluster.await(map -> map.isInitialised() && map.version() >= version)) {
      tell("the cluster map is not told yet");
    }
  }

  /**
   * Returns when the storage node has everything that the others have.
   *
   * @param joins false when it has had everything before, unless others have left it out since
   * @param replaced the storage node whose place it takes, which is retired then; 0 = of none
   */
  void take(int node, boolean joins, int replaced) throws InterruptedException {
    if (!joins && isMember(cluster.known(), node) && keepsAll(cluster.known(), node)) {
      return;
    }
    long askedVersion = 0;
    while (true) {
      ClusterMap map = cluster.known();
      if (map.version() != askedVersion) {
        cluster.ofLeader(); // whose storage nodes are asked from then on
        askedVersion = map.version();
      }
      ClusterStatus status = cluster.status();
      Set<Integer> answering = StreamCopies.answering(status);
      List<MapCommand> missing = missing(map, node, replaced, answering);
      if (!isMember(map, node)) {
        tell("storage node " + node + " is no member of the cluster yet");
      } else if (!missing.isEmpty()) {
        for (MapCommand change : missing) {
          propose(change);
        }
        cluster.await(now -> missing(now, node, replaced, answering).isEmpty());
      } else {
        Optional<String> lacks = StreamCopies.missing(status, map, node);
        if (lacks.isEmpty() && isLive(map, replaced)) {
          propose(new MapCommand.RetireStorage(replaced));
          cluster.await(now -> !isLive(now, replaced));
          continue;
        }
        lacks = lacks.or(() -> keepersOfMap(map, node, replaced, answering));
        if (lacks.isPresent()) {
          tell(lacks.get());
        } else if (missing(cluster.known(), node, replaced, answering).isEmpty()) {
          return; // nobody has left it out meanwhile
        }
      }
      cluster.pause();
    }
  }

  private static boolean isLive(ClusterMap map, int node) {
    return map.node(node).filter(MapNode::isLive).isPresent();
  }

  private static boolean keepsAll(ClusterMap map, int node) {
    return map.streamGroups().values().stream().allMatch(g -> g.replicas().contains(node));
  }

  /**
   * What the cluster map itself lacks: with a few storage nodes it is kept by all of them, as far
   * as they answer.
   */
  private Optional<String> keepersOfMap(
      ClusterMap map, int node, int replaced, Set<Integer> answering) {
    int present =
        (int)
            map.live(Role.STORAGE).stream()
                .map(MapNode::id)
                .filter(id -> id == node || answering.contains(id))
                .count();
    int wanted = MapReplicas.wanted(present);
    Set<Integer> now = cluster.keepersOfMap();
    return now.size() >= wanted && !now.contains(replaced)
        ? Optional.empty()
        : Optional.of("the cluster map is kept by " + now + ", not by " + wanted + " yet");
  }

  private static boolean isMember(ClusterMap map, int node) {
    return map.node(node).filter(n -> n.state() == NodeState.UP).isPresent();
  }

  /**
   * The changes of the map that are to be made.
   *
   * @param node the new storage node
   * @param replaced the one whose place it takes; 0 = of none
   * @param answering the storage nodes that answer
   */
  static List<MapCommand> missing(ClusterMap map, int node, int replaced, Set<Integer> answering) {
    List<MapCommand> changes = new ArrayList<>();
    List<Integer> live =
        map.live(Role.STORAGE).stream().map(MapNode::id).filter(id -> id != replaced).toList();
    int copies = map.settings().get(ClusterSetting.STREAM_REPLICAS);
    int kept =
        map.streamGroups().values().stream().mapToInt(g -> g.replicas().size()).max().orElse(0);
    if (copies < live.size()) {
      changes.add(new MapCommand.ChangeSetting(ClusterSetting.STREAM_REPLICAS, live.size()));
    } else if (isAnyRetired(map) && copies > Math.max(kept, live.size())) {
      // Who joined has counted one that was replaced meanwhile: a new compute node would wait for
      // as many storage nodes. It may be this one, and the one that replaced it have gone on.
      changes.add(
          new MapCommand.ChangeSetting(
              ClusterSetting.STREAM_REPLICAS, Math.max(kept, live.size())));
    }
    for (StreamGroup group : map.streamGroups().values()) {
      TreeSet<Integer> wanted = new TreeSet<>(group.replicas());
      wanted.remove(replaced);
      live.stream().filter(id -> id == node || answering.contains(id)).forEach(wanted::add);
      if (!wanted.equals(new TreeSet<>(group.replicas()))) {
        int leader = group.preferredLeader() == replaced ? node : group.preferredLeader();
        changes.add(new MapCommand.ChangeReplicas(group.slot(), List.copyOf(wanted), leader));
      }
    }
    return changes;
  }

  private static boolean isAnyRetired(ClusterMap map) {
    return map.nodes().values().stream().anyMatch(n -> n.has(Role.STORAGE) && !n.isLive());
  }

  private void propose(MapCommand change) throws InterruptedException {
    try {
      cluster.propose(change);
    } catch (RefusedException | IllegalStateException e) {
      // The map has changed meanwhile, or its majority was away for a while: it is looked at again.
      tell(e.getMessage());
    }
  }

  /** The cluster's storage nodes, by number. */
  static List<StorageAddress> storageNodes(ClusterMap map) {
    List<StorageAddress> nodes = new ArrayList<>();
    for (MapNode node : map.live(Role.STORAGE)) {
      Optional<Endpoint> peer = node.endpoint(Endpoint.Purpose.PEER);
      Optional<Endpoint> raft = node.endpoint(Endpoint.Purpose.RAFT);
      if (peer.isPresent() && raft.isPresent()) {
        nodes.add(
            new StorageAddress(node.id(), peer.get().host(), peer.get().port(), raft.get().port()));
      }
    }
    return nodes;
  }

  private void tell(String what) {
    if (System.nanoTime() - toldNanos > TELL_NANOS) {
      toldNanos = System.nanoTime();
      progress.accept(what);
    }
  }
}
