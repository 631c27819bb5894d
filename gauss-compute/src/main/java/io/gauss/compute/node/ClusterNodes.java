package io.gauss.compute.node;

import io.gauss.compute.sql.state.NodeState.Node;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The nodes of a cluster as {@code gauss.nodes} shows them. */
final class ClusterNodes {
  /**
   * Whoever leads the map waits until a node's lease is over, a new leader from the beginning; and
   * the old one may have been lost last.
   */
  private static final int LEASES_TO_DEATH = 3;

  private ClusterNodes() {}

  /** How long it takes at most, usually a third of it, until a node without a word is dead, ns. */
  static long deathNanos(ClusterSettings settings) {
    long lease =
        (long) settings.get(ClusterSetting.LEASE_DURATION)
            + settings.get(ClusterSetting.LEASE_MARGIN);
    return TimeUnit.MILLISECONDS.toNanos(LEASES_TO_DEATH * lease);
  }

  /**
   * All live nodes, by number.
   *
   * @param self this node's own entry, whose number here is its slot
   */
  static List<Node> of(ClusterMap map, Node self) {
    List<Node> nodes = new ArrayList<>();
    for (MapNode node : map.nodes().values()) {
      if (node.isLive()) {
        nodes.add(node.slot() == self.slot() ? own(map, node, self) : other(map, node));
      }
    }
    return nodes;
  }

  private static Node own(ClusterMap map, MapNode node, Node self) {
    return new Node(
        node.id(),
        self.role(),
        self.host(),
        self.port(),
        self.own(),
        self.state(),
        node.slot(),
        node.epoch(),
        map.buckets().count(node.id()));
  }

  private static Node other(ClusterMap map, MapNode node) {
    Optional<Endpoint> clients = node.endpoint(Endpoint.Purpose.SQL);
    Optional<Endpoint> peer = node.endpoint(Endpoint.Purpose.PEER);
    Optional<Endpoint> port = node.has(Role.COMPUTE) ? clients : clients.or(() -> peer);
    return new Node(
        node.id(),
        node.roles().stream()
            .map(role -> role.name().toLowerCase(Locale.ROOT))
            .sorted()
            .collect(Collectors.joining("+")),
        clients.or(() -> peer).map(Endpoint::host).orElse(null),
        port.map(Endpoint::port).orElse(0),
        null,
        state(node, clients.isPresent()).name(),
        node.slot(),
        node.epoch(),
        map.buckets().count(node.id()));
  }

  /**
   * A compute node is a member of the cluster, and UP in the map, before it has recovered and opens
   * its port: for clients it is still joining then.
   */
  private static NodeState state(MapNode node, boolean takesClients) {
    return node.state() == NodeState.UP && node.has(Role.COMPUTE) && !takesClients
        ? NodeState.JOINING
        : node.state();
  }
}
