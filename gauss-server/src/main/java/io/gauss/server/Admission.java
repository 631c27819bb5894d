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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Decides whether a machine becomes a node of the cluster, and gives it what it needs. A token is
 * used up only when nothing else is in the way. Thread-safe.
 */
final class Admission {
  /** More would each keep all pages, and answer for every commit. */
  private static final int MOST_STORAGE_NODES = 5;

  private final Path data;
  private final NodeDescription self;
  private final ClusterAuthority authority;

  /**
   * @param data directory of the node with the authority
   */
  Admission(Path data, NodeDescription self) {
    this.data = data;
    this.self = self;
    this.authority = ClusterAuthority.open(data);
  }

  /** One after the other: each sees the numbers that the one before it has got. */
  synchronized JoinAnswer admit(JoinRequest request) {
    try {
      Set<NodeKind> roles = NodeDescription.parseRoles(String.join(",", request.roles()));
      if (!NodeDescription.isHost(request.host())) {
        throw new JoinRefused("its address is neither a name nor an IPv4 address");
      }
      MachineDirectory directory = new MachineDirectory(data);
      authority.tokens().check(request, Instant.now());
      ClusterMap map = map();
      List<StorageAddress> storage = storageNodes(map, roles, request.replaces());
      Instant now = Instant.now();
      authority.tokens().use(request, now);
      ClusterAuthority.Issued issued =
          authority.issue(
              request.key(),
              request.host(),
              NodeDescription.highest(map.nodes().keySet()),
              NodeDescription.MOST_NODES,
              now);
      return JoinAnswer.of(
          issued,
          authority.certificate(),
          Files.readString(directory.clusterKey()),
          NodeDirectories.text(storage));
    } catch (RefusedException | GaussException e) {
      throw new JoinRefused(e.getMessage());
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot read the cluster's key: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JoinRefused("the node that was asked is stopping");
    }
  }

  private ClusterMap map() throws IOException, InterruptedException {
    NodeKind any = self.roles().iterator().next();
    Path directory = new MachineDirectory(data).of(self, any);
    try (MapAccess cluster = new MapAccess(ClusterAccess.find(directory).orElseThrow())) {
      return cluster.map();
    }
  }

  /** The present storage nodes, if the wish is possible. */
  private static List<StorageAddress> storageNodes(
      ClusterMap map, Set<NodeKind> roles, int replaces) {
    if (replaces != 0) {
      checkReplaced(map, roles, replaces);
    } else if (roles.contains(NodeKind.STORAGE)
        && map.live(Role.STORAGE).size() >= MOST_STORAGE_NODES) {
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

  private static void checkReplaced(ClusterMap map, Set<NodeKind> roles, int replaces) {
    if (!roles.contains(NodeKind.STORAGE)) {
      throw new JoinRefused("only a node that stores takes the place of another one");
    }
    if (map.node(NodeDescription.number(replaces, NodeKind.STORAGE))
        .filter(MapNode::isLive)
        .isEmpty()) {
      throw new JoinRefused("the storage of the cluster has no node " + replaces);
    }
    for (NodeKind role : List.of(NodeKind.COMPUTE, NodeKind.MEMORY)) {
      if (map.node(NodeDescription.number(replaces, role)).filter(MapNode::isLive).isPresent()) {
        throw new JoinRefused(
            "node %d is alive; stop it first by `gauss stop` on its machine".formatted(replaces));
      }
    }
  }
}
