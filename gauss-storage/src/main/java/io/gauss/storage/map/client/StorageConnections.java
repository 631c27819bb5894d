package io.gauss.storage.map.client;

import io.gauss.common.runtime.InOrder;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to each storage node of the cluster, for one purpose: those in the cluster map, as
 * they join, move and leave. Before there is a map, those in a configuration. Thread-safe.
 */
public final class StorageConnections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StorageConnections.class);

  private final Transport transport;
  private Map<Integer, NodeAddress> addresses = Map.of();
  private volatile Map<Integer, Peer> peers = Map.of();
  private boolean closed;

  /**
   * Begins to connect.
   *
   * @param first storage nodes that are known without a map
   */
  public StorageConnections(Transport transport, Map<Integer, NodeAddress> first) {
    this.transport = transport;
    become(first);
  }

  /** Connects to the storage nodes in the map, and ends all other connections. */
  public void follow(ClusterMap map) {
    Map<Integer, NodeAddress> named = addresses(map);
    if (!named.isEmpty()) {
      become(named);
    }
  }

  /** Connects to the storage nodes in a map that may be old, besides those that are known. */
  public synchronized void learn(ClusterMap map) {
    Map<Integer, NodeAddress> all = new TreeMap<>(addresses);
    all.putAll(addresses(map));
    become(all);
  }

  private static Map<Integer, NodeAddress> addresses(ClusterMap map) {
    Map<Integer, NodeAddress> named = new TreeMap<>();
    for (MapNode node : map.live(Role.STORAGE)) {
      node.endpoint(Endpoint.Purpose.PEER)
          .ifPresent(at -> named.put(node.id(), new NodeAddress(at.host(), at.port())));
    }
    return named;
  }

  private synchronized void become(Map<Integer, NodeAddress> wanted) {
    if (closed || wanted.equals(addresses)) {
      return;
    }
    Map<Integer, Peer> next = new HashMap<>();
    wanted.forEach(
        (node, address) ->
            next.put(
                node,
                address.equals(addresses.get(node))
                    ? peers.get(node)
                    : transport.connect(address, node)));
    Map<Integer, Peer> before = peers;
    addresses = InOrder.copyOf(wanted);
    peers = InOrder.copyOf(next);
    before.forEach(
        (node, peer) -> {
          if (next.get(node) != peer) {
            LOG.debug("storage node {} is not at {} any more", node, peer.address());
            peer.close();
          }
        });
  }

  /**
   * By the storage nodes' numbers. This object owns them, and closes them when their nodes are
   * removed.
   */
  public Map<Integer, Peer> peers() {
    return peers;
  }

  @Override
  public synchronized void close() {
    closed = true;
    peers.values().forEach(Peer::close);
    peers = Map.of();
    addresses = Map.of();
  }
}
