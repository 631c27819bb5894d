package io.gauss.compute.node;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Tells compute nodes that have left the cluster on purpose from those that have died and may come
 * back: in the cluster map both are dead, and why is forgotten when they are recovered. Every node
 * that is live at a death acknowledges it before that, so that none is missed here. Thread-safe.
 */
final class Departures {
  private final Set<Integer> epochs = ConcurrentHashMap.newKeySet();

  /** Takes a newer map. */
  void follow(ClusterMap map) {
    Set<Integer> present =
        map.nodes().values().stream().map(MapNode::epoch).collect(Collectors.toSet());
    epochs.retainAll(present);
    map.nodes().values().stream()
        .filter(node -> node.state() == NodeState.DRAINING)
        .forEach(node -> epochs.add(node.epoch()));
    map.deaths().values().forEach(this::died);
  }

  /** An epoch has ended. */
  void died(Death death) {
    if (hasLeft(death)) {
      epochs.add(death.epoch());
    }
  }

  private static boolean hasLeft(Death death) {
    return death != null && death.evidence() == Death.Evidence.LEFT;
  }

  /**
   * By slot, the numbers of the compute nodes that have neither left nor been asked to: those that
   * serve, those that start, and those that have died.
   */
  Map<Integer, Integer> notLeft(ClusterMap map) {
    Map<Integer, Integer> numbers = new TreeMap<>();
    for (MapNode node : map.nodes().values()) {
      boolean isGone =
          node.state() == NodeState.REMOVED
              || node.state() == NodeState.DRAINING
              || epochs.contains(node.epoch())
              || hasLeft(map.deaths().get(node.epoch()));
      if (node.has(Role.COMPUTE) && !isGone) {
        numbers.put(node.slot(), node.id());
      }
    }
    return numbers;
  }
}
