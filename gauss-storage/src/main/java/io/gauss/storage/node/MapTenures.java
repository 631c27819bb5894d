package io.gauss.storage.node;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import java.util.Map;
import java.util.function.Supplier;

/**
 * By the cluster map as it is known here. The map does not name nodes for slices yet: streams await
 * nobody, and what ends a node's tenures is that it is taken out of the cluster, for ever.
 *
 * @param map the newest one
 */
record MapTenures(Supplier<ClusterMap> map) implements Tenures {
  private static final long NONE = -1;

  @Override
  public Map<Integer, Long> awaitedBy(int stream) {
    return Map.of();
  }

  @Override
  public long over(int node) {
    ClusterMap now = map.get();
    return now.node(node).map(MapNode::state).filter(NodeState.REMOVED::equals).isPresent()
        ? now.version()
        : NONE;
  }
}
