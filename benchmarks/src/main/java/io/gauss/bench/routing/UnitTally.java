package io.gauss.bench.routing;

import java.util.Collections;
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

  /**
   * The share of transactions on another node than the one where most of their unit ran before, 0
   * to 1; NaN without transactions. Those of units that did not run before do not count.
   */
  double elsewhereThan(UnitTally before) {
    int all = 0;
    int elsewhere = 0;
    for (Map.Entry<Integer, Map<Integer, Integer>> unit : byUnit.entrySet()) {
      Map<Integer, Integer> was = before.byUnit.getOrDefault(unit.getKey(), Map.of());
      if (!was.isEmpty()) {
        int node = Collections.max(was.entrySet(), Map.Entry.comparingByValue()).getKey();
        all += count(unit.getKey());
        elsewhere += count(unit.getKey()) - count(unit.getKey(), node);
      }
    }
    return all == 0 ? Double.NaN : (double) elsewhere / all;
  }

  /** Transactions of the unit that ran on the node. */
  int count(int unit, int node) {
    return byUnit.getOrDefault(unit, Map.of()).getOrDefault(node, 0);
  }
}
