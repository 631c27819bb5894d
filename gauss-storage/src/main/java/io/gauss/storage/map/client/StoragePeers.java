package io.gauss.storage.map.client;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to the storage nodes for a {@link ClusterMapClient}: to those in the map, as they
 * join and leave, and to addresses from a configuration.
 *
 * <p>Addresses of the configuration are used even when the map has other nodes: in a new cluster
 * the nodes are added to the map one after another, and the map's leader may be the last of them.
 * Thread-safe.
 */
public final class StoragePeers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoragePeers.class);

  private final Transport transport;
  private final ClusterMapClient client;
  private final List<Target> seeds = new ArrayList<>();
  private final Map<Target, Peer> peers = new HashMap<>();
  private boolean closed;

  /** A node and its address; seeds have negative numbers. */
  record Target(int node, NodeAddress address) {}

  /**
   * Begins to connect, and to follow the map.
   *
   * @param seeds addresses of storage nodes, one that works is enough
   */
  public StoragePeers(Transport transport, List<NodeAddress> seeds) {
    this.transport = transport;
    for (NodeAddress seed : seeds) {
      this.seeds.add(new Target(-1 - this.seeds.size(), seed));
    }
    this.client = new ClusterMapClient(connect(this.seeds));
    client.addListener(this::follow);
    client.watch();
  }

  public ClusterMapClient client() {
    return client;
  }

  private void follow(ClusterMap map) {
    List<Target> targets = targets(map, seeds);
    if (targets.isEmpty()) {
      return; // there are no others than the present targets
    }
    synchronized (this) {
      if (closed || peers.keySet().equals(new HashSet<>(targets))) {
        return;
      }
      client.connections(connect(targets));
      peers
          .entrySet()
          .removeIf(
              entry -> {
                boolean gone = !targets.contains(entry.getKey());
                if (gone) {
                  LOG.debug("{} is not asked for the cluster map any more", entry.getKey());
                  entry.getValue().close();
                }
                return gone;
              });
    }
  }

  /**
   * The targets for requests: live storage nodes first, then seeds that may be other nodes. There
   * is no node at the address of a retired one.
   */
  static List<Target> targets(ClusterMap map, List<Target> seeds) {
    List<Target> targets = new ArrayList<>();
    Set<NodeAddress> known = new HashSet<>();
    for (MapNode node : map.nodes().values()) {
      Optional<NodeAddress> at =
          node.endpoint(Endpoint.Purpose.PEER).map(e -> new NodeAddress(e.host(), e.port()));
      if (node.has(Role.STORAGE) && at.isPresent()) {
        if (node.isLive()) {
          targets.add(new Target(node.id(), at.get()));
        }
        known.add(at.get());
      }
    }
    seeds.stream().filter(seed -> !known.contains(seed.address())).forEach(targets::add);
    return targets;
  }

  private synchronized List<MapConnection> connect(List<Target> targets) {
    List<MapConnection> connections = new ArrayList<>();
    for (Target target : targets) {
      Peer peer =
          peers.computeIfAbsent(target, t -> transport.connect(t.address(), Math.max(0, t.node())));
      connections.add(new PeerMapConnection(target.node(), peer));
    }
    return connections;
  }

  @Override
  public void close() {
    client.close();
    synchronized (this) {
      closed = true;
      peers.values().forEach(Peer::close);
      peers.clear();
    }
  }
}
