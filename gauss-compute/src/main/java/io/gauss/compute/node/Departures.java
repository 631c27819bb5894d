package io.gauss.compute.node;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Tells compute nodes that were asked to leave the cluster from those that may come back: in the
 * cluster map both are dead in the end. A node that is stopped in order says that it leaves, as one
 * does that is drained; but mostly it is started again at once, with another version or setting. So
 * only what was drained, or removed, has left for good. Where a node has missed the map in which
 * another one was draining, that one is taken to come back, which costs others a while in which
 * nothing is dealt out anew. Thread-safe.
 */
final class Departures {
  /** Of nodes that were seen draining. */
  private final Set<Integer> epochs = ConcurrentHashMap.newKeySet();

  /** Takes a newer map. */
  void follow(ClusterMap map) {
    Set<Integer> present =
        map.nodes().values().stream().map(MapNode::epoch).collect(Collectors.toSet());
    epochs.retainAll(present);
    map.nodes().values().stream()
        .filter(node -> node.state() == NodeState.DRAINING)
        .forEach(node -> epochs.add(node.epoch()));
  }

  /**
   * By slot, the numbers of the compute nodes that were not asked to leave: those that serve, those
   * that start, and those that were stopped or have died.
   */
  Map<Integer, Integer> notLeft(ClusterMap map) {
    Map<Integer, Integer> numbers = new TreeMap<>();
    for (MapNode node : map.nodes().values()) {
      boolean isGone =
          node.state() == NodeState.REMOVED
              || node.state() == NodeState.DRAINING
              || epochs.contains(node.epoch());
      if (node.has(Role.COMPUTE) && !isGone) {
        numbers.put(node.slot(), node.id());
      }
    }
    return numbers;
  }
}
