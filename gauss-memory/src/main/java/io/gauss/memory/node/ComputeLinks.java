package io.gauss.memory.node;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.session.SessionLink;
import io.gauss.memory.coherence.Slots;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A link to each compute node, as they come and go. Thread-safe. */
final class ComputeLinks implements AutoCloseable {
  private final Map<Integer, ComputeLink> byEpoch = new ConcurrentHashMap<>();
  private final Transport transport;
  private final NodeIdentity self;

  /** A compute node in one epoch, and the link to it. */
  record ComputeLink(int slot, SessionLink link) {
    int epoch() {
      return link.epoch();
    }
  }

  ComputeLinks(Transport transport, NodeIdentity self) {
    this.transport = transport;
    this.self = self;
  }

  /** Number of this node. */
  int self() {
    return self.node();
  }

  /** A node has sent something; answers to it wait until the map has its address. */
  ComputeLink heard(int epoch, int slot) {
    return byEpoch.computeIfAbsent(epoch, e -> new ComputeLink(slot, new SessionLink(e)));
  }

  /** Connects to the compute nodes of the map, and ends the links to those that are dead. */
  void follow(ClusterMap map) {
    for (MapNode node : map.live(Role.COMPUTE)) {
      Optional<Endpoint> at = node.endpoint(Endpoint.Purpose.PEER);
      if (at.isPresent() && node.slot() <= Slots.MAX) {
        heard(node.epoch(), node.slot())
            .link()
            .connect(transport, self, node.id(), new NodeAddress(at.get().host(), at.get().port()));
      }
    }
    for (MapNode node : map.nodes().values()) {
      byEpoch.values().stream()
          .filter(link -> link.slot() == node.slot() && map.isDead(node.id(), link.epoch()))
          .forEach(this::drop);
    }
  }

  /** Ends the link to a dead epoch. */
  void drop(int epoch) {
    ComputeLink link = byEpoch.get(epoch);
    if (link != null) {
      drop(link);
    }
  }

  private void drop(ComputeLink link) {
    byEpoch.remove(link.epoch(), link);
    link.link().close();
  }

  /** Null when there is none. */
  ComputeLink ofEpoch(int epoch) {
    return byEpoch.get(epoch);
  }

  @Override
  public void close() {
    byEpoch.values().forEach(this::drop);
  }
}
