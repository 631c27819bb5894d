package io.gauss.compute.peer;

import io.gauss.common.id.Xid;
import io.gauss.common.transport.NodeAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Keeps {@link TransportPeers} in line with the cluster map: which nodes are live, and which
 * answers for which slot. A node that comes back has another epoch, so it counts as another node
 * here. Must get every new map, in order; thread-safe.
 */
public final class MapPeers implements Consumer<ClusterMap> {
  private final TransportPeers peers;
  private final Map<Integer, Known> known = new HashMap<>(); // by slot
  private long version = -1;
  private volatile int deadlockHost;

  private record Known(int node, int epoch) {}

  public MapPeers(TransportPeers peers) {
    this.peers = peers;
    this.deadlockHost = peers.self();
  }

  /**
   * Slot of the node that runs the deadlock detector: the lowest one that serves. When two nodes
   * see different ones for a moment, reports are repeated to the right one later.
   */
  public int deadlockHost() {
    return deadlockHost;
  }

  @Override
  public synchronized void accept(ClusterMap map) {
    if (map.version() <= version) {
      return;
    }
    version = map.version();
    for (Iterator<Map.Entry<Integer, Known>> all = known.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Integer, Known> entry = all.next();
      if (!map.isLive(entry.getValue().node, entry.getValue().epoch)) {
        all.remove();
        peers.leave(entry.getKey(), entry.getValue().epoch);
      }
    }
    for (MapNode node : map.live(Role.COMPUTE)) {
      if (node.slot() != peers.self() && !known.containsKey(node.slot())) {
        join(node);
      }
    }
    deadlockHost =
        map.live(Role.COMPUTE).stream()
            .filter(node -> node.state().isServing())
            .mapToInt(MapNode::slot)
            .min()
            .orElse(peers.self());
    for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
      if (slot != peers.self()) {
        peers.answers(slot, SlotAnswers.answering(map, slot, peers.self()));
      }
    }
  }

  private void join(MapNode node) {
    node.endpoint(Endpoint.Purpose.PEER)
        .ifPresent(
            at -> {
              known.put(node.slot(), new Known(node.id(), node.epoch()));
              peers.join(
                  node.slot(), node.id(), node.epoch(), new NodeAddress(at.host(), at.port()));
            });
  }
}
