package io.gauss.server;

import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.remote.StatusClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Replaces a storage node by a new one, in a cluster of processes on this machine.
 *
 * <p>Every step may be repeated, so that the command continues where it was interrupted: the new
 * node's directory records which node it replaces; a slot is moved only while the old node has it;
 * the old node is removed last, when the new one has everything.
 *
 * <p>The new node has a number that was never used: one that lost its disk has forgotten how it
 * voted, and must not come back as the same member of a Raft group. For one thread.
 */
final class StorageReplacement {
  private static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int POLL_MS = 100;
  private static final Duration ANSWER = Duration.ofSeconds(2);

  private final Path directory;
  private final MapAccess cluster;
  private final int old;
  private final Map<String, String> settings;
  private final PrintWriter out;
  private long toldNanos;

  /**
   * @param old the storage node that goes
   * @param settings of the new node
   */
  StorageReplacement(
      Path directory, MapAccess cluster, int old, Map<String, String> settings, PrintWriter out) {
    this.directory = directory;
    this.cluster = cluster;
    this.old = old;
    this.settings = settings;
    this.out = out;
  }

  /**
   * Performs the replacement, and returns when the new node has everything that the old one had.
   *
   * @throws RefusedException when the old node cannot be replaced
   */
  void run() throws IOException, InterruptedException {
    ClusterMap map = cluster.map();
    NodeDirectories directories = new NodeDirectories(directory);
    checkOld(map, directories);
    StorageAddress fresh = directories.replacementOf(old, map, others(map), settings);
    say("storage node %d takes the place of storage node %d", fresh.node(), old);
    NodeProcess process = directories.startIfNeeded(fresh);
    awaitMember(fresh, process);
    say("storage node %d is a member of the cluster", fresh.node());
    try (StatusClient status = new StatusClient(cluster.transport(), storageNodes(map, fresh))) {
      while (moveSlots(fresh.node()) || !hasEverything(status, fresh.node())) {
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      }
    }
    retire();
    directories.retire(old, storageNodes(cluster.known(), fresh));
    say("storage node %d has replaced storage node %d", fresh.node(), old);
  }

  private void checkOld(ClusterMap map, NodeDirectories directories) throws IOException {
    Optional<MapNode> node = map.node(old).filter(n -> n.has(Role.STORAGE));
    if (node.isEmpty() || node.get().state() == NodeState.REMOVED) {
      throw new RefusedException("--replaces " + old + ": the cluster has no such storage node");
    }
    boolean keepsNothing =
        map.streamGroups().values().stream().noneMatch(g -> g.replicas().contains(old));
    if (keepsNothing && !node.get().isLive() && !directories.isKnown(old)) {
      throw new RefusedException("--replaces " + old + ": it was replaced already");
    }
  }

  /** The remaining storage nodes. */
  private List<StorageAddress> others(ClusterMap map) {
    List<StorageAddress> others = new ArrayList<>();
    for (MapNode node : map.live(Role.STORAGE)) {
      if (node.id() != old) {
        address(node).ifPresent(others::add);
      }
    }
    return others;
  }

  private static Optional<StorageAddress> address(MapNode node) {
    Optional<Endpoint> peer = node.endpoint(Endpoint.Purpose.PEER);
    Optional<Endpoint> raft = node.endpoint(Endpoint.Purpose.RAFT);
    return peer.isEmpty() || raft.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new StorageAddress(node.id(), peer.get().host(), peer.get().port(), raft.get().port()));
  }

  /** All storage nodes of the cluster once the old one is gone. */
  private List<StorageAddress> storageNodes(ClusterMap map, StorageAddress fresh) {
    List<StorageAddress> nodes = new ArrayList<>(others(map));
    nodes.removeIf(node -> node.node() == fresh.node());
    nodes.add(fresh);
    return nodes;
  }

  private void awaitMember(StorageAddress fresh, NodeProcess process)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (cluster.known().node(fresh.node()).filter(n -> n.state() == NodeState.UP).isEmpty()) {
      if (!process.runs() || System.nanoTime() - start > JOIN_NANOS) {
        throw new IllegalStateException(
            "storage node %d does not join the cluster; see %s"
                .formatted(fresh.node(), process.log()));
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  /**
   * Replaces the old node by the new one everywhere; returns whether the old one was in use
   * anywhere.
   */
  private boolean moveSlots(int fresh) throws InterruptedException {
    boolean moved = false;
    for (StreamGroup group : cluster.known().streamGroups().values()) {
      if (group.replicas().contains(old)) {
        List<Integer> replicas =
            group.replicas().stream().map(node -> node == old ? fresh : node).toList();
        int leader = group.preferredLeader() == old ? fresh : group.preferredLeader();
        cluster.propose(new MapCommand.ChangeReplicas(group.slot(), replicas, leader));
        say("stream %d is to be kept by storage nodes %s", group.slot(), replicas);
        moved = true;
      }
    }
    return moved;
  }

  private void retire() throws InterruptedException {
    if (cluster.known().node(old).filter(MapNode::isLive).isPresent()) {
      cluster.propose(new MapCommand.RetireStorage(old));
      say("storage node %d is retired", old);
    }
  }

  private boolean hasEverything(StatusClient status, int fresh) {
    ClusterMap map = cluster.known();
    Optional<String> missing = StreamCopies.missing(status.status(ANSWER), map, fresh);
    missing.ifPresent(this::tell);
    return missing.isEmpty() && !isUsed(map) && !isUsed(cluster.known());
  }

  /** Whether any stream is to be kept by the old node: another command may have put it back. */
  private boolean isUsed(ClusterMap map) {
    return map.streamGroups().values().stream().anyMatch(g -> g.replicas().contains(old));
  }

  private void tell(String progress) {
    if (System.nanoTime() - toldNanos > TELL_NANOS) {
      toldNanos = System.nanoTime();
      say("%s", progress);
    }
  }

  private void say(String format, Object... arguments) {
    out.printf(format + "%n", arguments);
    out.flush();
  }
}
