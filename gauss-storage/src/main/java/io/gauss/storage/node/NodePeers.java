package io.gauss.storage.node;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Connections to other storage nodes, made when they are first wanted and again when a node has
 * moved. Thread-safe; nothing waits.
 */
public final class NodePeers implements AutoCloseable {
  private final Transport transport;
  private final IntFunction<Optional<NodeAddress>> addresses;
  private final Map<Integer, Peer> peers = new HashMap<>();
  private boolean closed;

  /**
   * @param addresses where a node is now; empty when that is not known
   */
  public NodePeers(Transport transport, IntFunction<Optional<NodeAddress>> addresses) {
    this.transport = transport;
    this.addresses = addresses;
  }

  /** The way to a node; empty when nobody knows where it is. */
  public synchronized Optional<Peer> find(int node) {
    if (closed) {
      return Optional.empty();
    }
    Optional<NodeAddress> at = addresses.apply(node);
    Peer known = peers.get(node);
    if (known != null && at.filter(known.address()::equals).isEmpty()) {
      known.close();
      peers.remove(node);
    }
    return at.map(address -> peers.computeIfAbsent(node, n -> transport.connect(address, n)));
  }

  @Override
  public synchronized void close() {
    closed = true;
    peers.values().forEach(Peer::close);
    peers.clear();
  }
}
