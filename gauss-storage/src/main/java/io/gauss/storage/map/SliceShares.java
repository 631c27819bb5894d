package io.gauss.storage.map;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.SliceMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What each storage node has of the slices, by weight, when the moves under way and those that are
 * being planned have ended; and in which zones. Not thread-safe; lives as long as one plan.
 */
final class SliceShares {
  private final ClusterMap map;
  private final SliceWeights weights;
  private final List<MapNode> open = new ArrayList<>();
  private final Set<Integer> openIds = new HashSet<>();
  private final Map<Integer, Long> loads = new HashMap<>();

  /**
   * @param lost storage nodes of which nothing is expected any more
   */
  SliceShares(ClusterMap map, SliceWeights weights, Set<Integer> lost) {
    this.map = map;
    this.weights = weights;
    for (MapNode node : map.live(Role.STORAGE)) {
      if (node.state() == NodeState.UP && !node.evicted() && !lost.contains(node.id())) {
        open.add(node);
        openIds.add(node.id());
      }
    }
    for (int number = 0; number < SliceMap.SLICES; number++) {
      Slice slice = map.slices().slice(number);
      for (Slice.Tenure tenure : slice.tenures()) {
        if (tenure.node() != slice.from()) {
          add(tenure.node(), weights.of(number));
        }
      }
    }
  }

  private void add(int node, long weight) {
    loads.merge(node, weight, Long::sum);
  }

  /** Storage nodes that take slices in, in the order of their numbers. */
  List<MapNode> open() {
    return open;
  }

  boolean isOpen(int node) {
    return openIds.contains(node);
  }

  long load(int node) {
    return loads.getOrDefault(node, 0L);
  }

  /** Mean load of the nodes that take slices in. */
  long mean() {
    long sum = open.stream().mapToLong(node -> load(node.id())).sum();
    return open.isEmpty() ? 0 : sum / open.size();
  }

  long weight(int slice) {
    return weights.of(slice);
  }

  /**
   * The slice goes from one node to another.
   *
   * @param from 0 = it leaves none
   * @param to 0 = it goes to none
   */
  void moved(int slice, int from, int to) {
    if (from != 0) {
      add(from, -weights.of(slice));
    }
    if (to != 0) {
      add(to, weights.of(slice));
    }
  }

  private String zone(int node) {
    return map.node(node).map(MapNode::zone).orElse("");
  }

  /**
   * In how many zones a slice is.
   *
   * @param without a node that does not count; 0 = all of them do
   * @param with a node that counts as well; 0 = none
   */
  int zones(Iterable<Integer> nodes, int without, int with) {
    Set<String> zones = new HashSet<>();
    for (int node : nodes) {
      if (node != without) {
        zones.add(zone(node));
      }
    }
    if (with != 0) {
      zones.add(zone(with));
    }
    return zones.size();
  }
}
