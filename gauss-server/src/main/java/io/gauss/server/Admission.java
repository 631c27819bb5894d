package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.server.join.ClusterAuthority;
import io.gauss.server.join.JoinAnswer;
import io.gauss.server.join.JoinRefused;
import io.gauss.server.join.JoinRequest;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.remote.StatusClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Decides whether a machine becomes a node of the cluster, and gives it what it needs. A token is
 * used up last, when nothing else is in the way. Thread-safe.
 */
final class Admission {
  /** More would each keep all pages, and answer for every commit. */
  private static final int MOST_STORAGE_NODES = 5;

  /** One that was taken in and does not come by then does not keep others from a place. */
  private static final Duration COMES = Duration.ofMinutes(10);

  private static final Duration ANSWER = Duration.ofSeconds(2);

  private final Path data;
  private final NodeDescription self;
  private final ClusterAuthority authority;

  /** Members for storage that were taken in, and when. */
  private final Map<Integer, Instant> expected = new HashMap<>();

  /**
   * What is known of the cluster when a machine asks.
   *
   * @param answering the storage nodes that answer
   */
  record Cluster(ClusterMap map, Set<Integer> answering) {}

  /**
   * @param data directory of the node with the authority
   */
  Admission(Path data, NodeDescription self) {
    this.data = data;
    this.self = self;
    this.authority = ClusterAuthority.open(data);
  }

  /** Asks the cluster, and decides. */
  JoinAnswer admit(JoinRequest request) {
    try {
      authority.tokens().check(request, Instant.now()); // before others are asked anything
      return admit(request, cluster(), Instant.now());
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot ask the cluster: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JoinRefused("the node that was asked is stopping");
    }
  }

  /** One after the other: each sees the numbers that the one before it has got. */
  synchronized JoinAnswer admit(JoinRequest request, Cluster cluster, Instant now) {
    try {
      Set<NodeKind> roles = NodeDescription.parseRoles(String.join(",", request.roles()));
      if (!NodeDescription.isHost(request.host())) {
        throw new JoinRefused("its address is neither a name nor an IPv4 address");
      }
      int before = authority.tokens().check(request, now);
      if (before != 0 && isMember(cluster.map(), before)) {
        throw new JoinRefused(
            "this machine has become node %d by that token; start it by `gauss start`"
                .formatted(before));
      }
      List<StorageAddress> storage = storageNodes(cluster, roles, request.replaces(), before, now);
      ClusterAuthority.Issued issued =
          before == 0
              ? authority.issue(
                  request.key(),
                  request.host(),
                  NodeDescription.highest(cluster.map().nodes().keySet()),
                  NodeDescription.MOST_NODES,
                  now)
              : authority.issueAgain(before, request.key(), request.host(), now);
      String key = Files.readString(new MachineDirectory(data).clusterKey());
      authority.tokens().use(request, issued.node(), now);
      if (roles.contains(NodeKind.STORAGE)) {
        expected.put(NodeDescription.number(issued.node(), NodeKind.STORAGE), now);
      }
      return JoinAnswer.of(issued, authority.certificate(), key, NodeDirectories.text(storage));
    } catch (RefusedException | GaussException e) {
      throw new JoinRefused(e.getMessage());
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot read the cluster's key: " + e, e);
    }
  }

  private static boolean isMember(ClusterMap map, int node) {
    return Arrays.stream(NodeKind.values())
        .anyMatch(role -> map.node(NodeDescription.number(node, role)).isPresent());
  }

  private Cluster cluster() throws IOException, InterruptedException {
    NodeKind any = self.roles().iterator().next();
    ClusterAccess access =
        ClusterAccess.find(new MachineDirectory(data).of(self, any)).orElseThrow();
    try (MapAccess cluster = new MapAccess(access);
        StatusClient status = new StatusClient(cluster.transport(), access.nodes())) {
      ClusterMap map = cluster.map();
      status.map(ANSWER); // whose storage nodes are asked then
      return new Cluster(map, StreamCopies.answering(status.status(ANSWER)));
    }
  }

  /**
   * The present storage nodes, if the wish is possible.
   *
   * @param before the number that the machine has already; 0 = none
   */
  private List<StorageAddress> storageNodes(
      Cluster cluster, Set<NodeKind> roles, int replaces, int before, Instant now) {
    ClusterMap map = cluster.map();
    if (replaces != 0) {
      checkReplaced(cluster, roles, replaces);
    } else if (roles.contains(NodeKind.STORAGE)
        && map.live(Role.STORAGE).size() + coming(map, before, now) >= MOST_STORAGE_NODES) {
      throw new JoinRefused(
          "the cluster has "
              + MOST_STORAGE_NODES
              + " storage nodes, each with all pages, and more are not supported yet; join with"
              + " --roles compute,memory");
    }
    if (!roles.contains(NodeKind.MEMORY) && map.live(Role.MEMORY).isEmpty()) {
      throw new JoinRefused(
          "the cluster has no memory node, through which compute nodes share pages; join with the"
              + " role memory");
    }
    return StreamShares.storageNodes(map).stream()
        .filter(node -> node.node() != NodeDescription.number(replaces, NodeKind.STORAGE))
        .toList();
  }

  /** How many other machines were taken in whose storage is not in the map yet. */
  private long coming(ClusterMap map, int before, Instant now) {
    expected.values().removeIf(since -> since.plus(COMES).isBefore(now));
    int itself = NodeDescription.number(before, NodeKind.STORAGE);
    return expected.keySet().stream()
        .filter(member -> member != itself && map.node(member).isEmpty())
        .count();
  }

  private static void checkReplaced(Cluster cluster, Set<NodeKind> roles, int replaces) {
    ClusterMap map = cluster.map();
    int storage = NodeDescription.number(replaces, NodeKind.STORAGE);
    if (!roles.contains(NodeKind.STORAGE)) {
      throw new JoinRefused("only a node that stores takes the place of another one");
    }
    if (map.node(storage).filter(MapNode::isLive).isEmpty()) {
      throw new JoinRefused("the storage of the cluster has no node " + replaces);
    }
    boolean hasLease =
        Stream.of(NodeKind.COMPUTE, NodeKind.MEMORY)
            .flatMap(role -> map.node(NodeDescription.number(replaces, role)).stream())
            .anyMatch(MapNode::isLive);
    if (hasLease || cluster.answering().contains(storage)) {
      throw new JoinRefused(
          "node %d is alive; stop it first by `gauss stop` on its machine".formatted(replaces));
    }
  }
}
