package io.gauss.compute.peer;

import io.gauss.common.id.Xid;
import io.gauss.common.transport.NodeAddress;
import io.gauss.compute.peer.PeerNodes.Answerer;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.EpochSteps;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Keeps {@link TransportPeers} in line with the cluster map: which nodes are live, and which
 * answers for which slot. A node that comes back has another epoch, so it counts as another node
 * here. Gets new maps in order, not necessarily all of them; thread-safe.
 */
public final class MapPeers implements Consumer<ClusterMap>, EpochSteps.Follower {
  private final TransportPeers peers;
  private final EpochSteps steps = new EpochSteps();
  private final Set<Integer> resigned = new HashSet<>(); // dead epochs
  private long version = -1;
  private volatile int deadlockHost;

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
    steps.follow(map, this);
    version = map.version();
    resigned.retainAll(map.deaths().keySet());
    deadlockHost =
        map.live(Role.COMPUTE).stream()
            .filter(node -> node.state().isServing())
            .mapToInt(MapNode::slot)
            .min()
            .orElse(peers.self());
    for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
      if (slot != peers.self()) {
        peers.answers(slot, SlotAnswers.answerer(map, slot, peers.self(), resigned));
      }
    }
  }

  /**
   * This node has recovered a dead epoch, and does not answer for it any more, whatever the maps
   * say that it still gets (rule 34). Before the cluster learns that the recovery is over.
   */
  public synchronized void resign(int slot, int epoch) {
    resigned.add(epoch);
    peers.answers(slot, new Answerer(0, epoch));
  }

  @Override
  public void ended(EpochSteps.Life life) {
    if (life.slot() != 0 && life.slot() != peers.self()) {
      peers.leave(life.slot(), life.epoch());
    }
  }

  @Override
  public void began(MapNode node) {
    if (!node.has(Role.COMPUTE) || node.slot() == peers.self()) {
      return;
    }
    node.endpoint(Endpoint.Purpose.PEER)
        .ifPresent(
            at ->
                peers.join(
                    node.slot(), node.id(), node.epoch(), new NodeAddress(at.host(), at.port())));
  }
}
