package io.gauss.jdbc.routing;

import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The less busy one of two nodes that were drawn at random. Loads are seconds old: by the least of
 * all, everybody would choose the same node until the next news, and then another one.
 */
public final class TwoChoices {
  private TwoChoices() {}

  /**
   * @param random a number from 0 to below its argument
   * @return null when no usable node's load is known
   */
  public static ClusterNode lessBusy(Topology topology, IntUnaryOperator random) {
    List<ClusterNode> known =
        topology.nodes().stream()
            .filter(node -> node.isUsable() && !Double.isNaN(node.load()))
            .toList();
    if (known.isEmpty()) {
      return null;
    }
    int first = random.applyAsInt(known.size());
    ClusterNode one = known.get(first);
    if (known.size() == 1) {
      return one;
    }
    int second = random.applyAsInt(known.size() - 1);
    ClusterNode other = known.get(second < first ? second : second + 1);
    return other.load() < one.load() ? other : one;
  }
}
