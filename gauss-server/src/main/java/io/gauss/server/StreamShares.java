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
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.remote.StatusClient;
import java.time.Duration;
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
 * are left as they are, and a node that was complete when it started changes nothing, so that none
 * brings back what another one replaces. For one thread.
 */
final class StreamShares {
  private static final Duration ANSWER = Duration.ofSeconds(2);
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int POLL_MS = 50;

  private final MapAccess cluster;
  private final StatusClient status;
  private final Consumer<String> progress;
  private long toldNanos = System.nanoTime();

  /**
   * @param progress told every two seconds what is waited for
   */
  StreamShares(MapAccess cluster, StatusClient status, Consumer<String> progress) {
    this.cluster = cluster;
    this.status = status;
    this.progress = progress;
  }

  /** Waits until a majority of the members of the cluster map agrees on a leader. */
  void awaitLeader() throws InterruptedException {
    while (status.map(ANSWER).isEmpty()) {
      tell("no majority of the storage nodes answers yet");
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    cluster.map();
  }

  /**
   * Returns when the storage node has everything that the others have.
   *
   * @param replaced the storage node whose place it takes, which is retired then; 0 = of none
   */
  void take(int node, int replaced) throws InterruptedException {
    if (replaced == 0 && isMember(cluster.known(), node) && keepsAll(cluster.known(), node)) {
      return; // it was there before
    }
    StreamCopies copies = new StreamCopies(cluster, status, node);
    long askedVersion = 0;
    while (true) {
      ClusterMap map = cluster.known();
      if (map.version() != askedVersion) {
        status.map(ANSWER); // whose storage nodes are asked from then on
        askedVersion = map.version();
      }
      Set<Integer> answering = StreamCopies.answering(status.status(ANSWER));
      List<MapCommand> missing = missing(map, node, replaced, answering);
      if (!isMember(map, node)) {
        tell("storage node " + node + " is no member of the cluster yet");
      } else if (!missing.isEmpty()) {
        for (MapCommand change : missing) {
          propose(change);
        }
        cluster.await(now -> missing(now, node, replaced, answering).isEmpty(), ANSWER.toSeconds());
      } else {
        Optional<String> lacks = copies.missing();
        if (lacks.isEmpty() && isLive(map, replaced)) {
          propose(new MapCommand.RetireStorage(replaced));
          cluster.await(now -> !isLive(now, replaced), ANSWER.toSeconds());
          continue;
        }
        lacks = lacks.or(() -> membersOfMap(map, replaced));
        if (lacks.isEmpty()) {
          return;
        }
        tell(lacks.get());
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  private static boolean isLive(ClusterMap map, int node) {
    return map.node(node).filter(MapNode::isLive).isPresent();
  }

  private static boolean keepsAll(ClusterMap map, int node) {
    return map.streamGroups().values().stream().allMatch(g -> g.replicas().contains(node));
  }

  /** What the cluster map itself lacks: with a few storage nodes it is kept by all of them. */
  private Optional<String> membersOfMap(ClusterMap map, int replaced) {
    int wanted = MapReplicas.wanted(map.live(Role.STORAGE).size());
    Set<Integer> now = status.members(GroupId.clusterMap().uuid(), ANSWER);
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
    } else if (replaced != 0 && !isLive(map, replaced) && copies > Math.max(kept, live.size())) {
      // Another one that joined has counted the one that was replaced meanwhile: a new compute node
      // would wait for as many storage nodes.
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
