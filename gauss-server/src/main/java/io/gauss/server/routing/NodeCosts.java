package io.gauss.server.routing;

import java.util.HashMap;
import java.util.Map;

/**
 * What an access to a page costs on each compute node, as a share of its processors, compared with
 * the mean of the nodes. Accesses alone would tell which transactions do much, but not that a node
 * is slow, or has other things to do. Not thread-safe.
 */
final class NodeCosts {
  /** Below this share of its processors, a node's own business is most of what it does. */
  private static final double BUSY = 0.2;

  /** By so much a node may differ from the mean. */
  private static final double MOST = 2;

  /** What of the accesses before still counts when a turn's are added. */
  private static final double KEPT = 0.95;

  private final Map<Integer, Double> accesses = new HashMap<>();
  private final Map<Integer, Double> costs = new HashMap<>();

  /** Counts accesses of a node since the last {@link #turn}. */
  void add(int node, double count) {
    accesses.merge(node, count, Double::sum);
  }

  /**
   * Called at even intervals.
   *
   * @param loads share of the processors that each node uses, 0 to 1; unknown ones are missing
   */
  void turn(Map<Integer, Double> loads) {
    costs.clear();
    accesses.forEach(
        (node, count) -> {
          double load = loads.getOrDefault(node, 0.0);
          if (load >= BUSY && count > 0) {
            costs.put(node, load / count);
          }
        });
    double mean = costs.values().stream().mapToDouble(cost -> cost).average().orElse(1);
    costs.replaceAll((node, cost) -> Math.clamp(cost / mean, 1 / MOST, MOST));
    accesses.replaceAll((node, count) -> count * KEPT);
    accesses.keySet().retainAll(loads.keySet());
  }

  /** The node's cost; 1 is the mean, or unknown. */
  double of(int node) {
    return costs.getOrDefault(node, 1.0);
  }
}
