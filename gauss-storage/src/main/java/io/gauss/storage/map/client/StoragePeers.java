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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to the storage nodes for a {@link ClusterMapClient}: at first to addresses from a
 * configuration, then to the storage nodes that the map names, as they come and go. Thread-safe.
 */
public final class StoragePeers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoragePeers.class);

  private final Transport transport;
  private final ClusterMapClient client;
  private final Map<Target, Peer> peers = new HashMap<>();
  private boolean closed;

  /** A node and where it is; seeds have negative numbers. */
  private record Target(int node, NodeAddress address) {}

  /**
   * Begins to connect, and to follow the map.
   *
   * @param seeds addresses of storage nodes, one that works is enough
   */
  public StoragePeers(Transport transport, List<NodeAddress> seeds) {
    this.transport = transport;
    List<Target> first = new ArrayList<>();
    for (NodeAddress seed : seeds) {
      first.add(new Target(-1 - first.size(), seed));
    }
    this.client = new ClusterMapClient(connect(first));
    client.addListener(this::follow);
    client.watch();
  }

  public ClusterMapClient client() {
    return client;
  }

  private void follow(ClusterMap map) {
    List<Target> targets = new ArrayList<>();
    for (MapNode node : map.live(Role.STORAGE)) {
      node.endpoint(Endpoint.Purpose.PEER)
          .ifPresent(
              at -> targets.add(new Target(node.id(), new NodeAddress(at.host(), at.port()))));
    }
    if (targets.isEmpty()) {
      return; // the seeds are all there is
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
