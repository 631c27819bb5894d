package io.gauss.bench.routing;

import java.util.HashMap;
import java.util.Map;

/** How often transactions of each unit ran on each node. Not thread-safe. */
final class UnitTally {
  private final Map<Integer, Map<Integer, Integer>> byUnit = new HashMap<>();

  void ran(int unit, int node) {
    byUnit.computeIfAbsent(unit, u -> new HashMap<>()).merge(node, 1, Integer::sum);
  }

  void add(UnitTally other) {
    other.byUnit.forEach(
        (unit, nodes) ->
            nodes.forEach(
                (node, count) ->
                    byUnit
                        .computeIfAbsent(unit, u -> new HashMap<>())
                        .merge(node, count, Integer::sum)));
  }

  /** Transactions of the unit. */
  int count(int unit) {
    return byUnit.getOrDefault(unit, Map.of()).values().stream().mapToInt(c -> c).sum();
  }

  /** Share of the node that ran most transactions, 0 to 1; NaN without transactions. */
  double busiestShare() {
    Map<Integer, Integer> nodes = new HashMap<>();
    byUnit.values().forEach(of -> of.forEach((node, n) -> nodes.merge(node, n, Integer::sum)));
    int all = nodes.values().stream().mapToInt(n -> n).sum();
    int most = nodes.values().stream().mapToInt(n -> n).max().orElse(0);
    return all == 0 ? Double.NaN : (double) most / all;
  }

  /** Transactions of the unit that ran on the node. */
  int count(int unit, int node) {
    return byUnit.getOrDefault(unit, Map.of()).getOrDefault(node, 0);
  }
}
