package io.gauss.storage.node;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Supplier;

/**
 * By the cluster map as it is known here. Without a list of slices nobody is named; what ends a
 * node's tenures then is that it is taken out of the cluster, for ever.
 *
 * @param map the newest one
 */
record MapTenures(Supplier<ClusterMap> map) implements Tenures {
  private static final long NONE = -1;

  @Override
  public Map<Integer, Long> holders() {
    return map.get().slices().holders();
  }

  @Override
  public long over(int node) {
    ClusterMap now = map.get();
    SortedMap<Integer, Long> holders = now.slices().holders();
    if (holders.containsKey(node)) {
      return holders.get(node) - 1;
    }
    boolean isRemoved =
        now.node(node).map(MapNode::state).filter(NodeState.REMOVED::equals).isPresent();
    return now.slices().isListed() || isRemoved ? now.version() : NONE;
  }
}
