package io.gauss.router.train;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Decides which compute node should own which page group, from round to round. Most of the time the
 * last placement is only adjusted; a new one is adopted when it is sufficiently better, with its
 * parts named such that most groups stay where they are, and only a part of it per round, since
 * pages have to move for it.
 *
 * <p>Not thread-safe.
 */
final class Placement {
  /**
   * How placements change.
   *
   * @param slack load that a node may have above the mean, as a share
   * @param hysteresis share of a unit's edges that a move must gain, and of the cost that a new
   *     placement must save
   * @param maxMoved share of the weight that may move in a round
   */
  record Limits(double slack, double hysteresis, double maxMoved) {}

  /** Load that a node may have above the mean while another has none yet, as a share. */
  private static final double SLACK_AT_JOIN = 0.05;

  private final Limits limits;
  private Map<Long, Integer> owners = Map.of();
  private int[] units = new int[0];
  private int unitCount;
  private int moved;
  private boolean isResumed;

  Placement(Limits limits) {
    this.limits = limits;
  }

  /** Node number by group. */
  Map<Long, Integer> owners() {
    return owners;
  }

  /**
   * Continues with the placement of another trainer. The next round only adds what is new to it:
   * what belongs together is hardly known yet.
   */
  void resume(Map<Long, Integer> nodeByGroup) {
    owners = Map.copyOf(nodeByGroup);
    isResumed = true;
  }

  /** The last round's placement is not used. */
  void revert(Map<Long, Integer> nodeByGroup) {
    owners = nodeByGroup;
  }

  /** Unit of each group of the last round, in the order that was given. */
  int[] units() {
    return units;
  }

  int unitCount() {
    return unitCount;
  }

  /** Groups that changed their node in the last round. */
  int moved() {
    return moved;
  }

  /**
   * Places the groups anew.
   *
   * @param groups of the graph's vertices
   * @param nodes numbers of the existing compute nodes, ascending
   * @return figures of the graph: share cut, imbalance
   */
  double[] update(Graph graph, long[] groups, List<Integer> nodes, int maxUnits, long seed) {
    units = Units.of(graph, maxUnits, 1.0 / (4 * nodes.size()), seed);
    unitCount = 1 + Arrays.stream(units).max().orElse(-1);
    Graph small = graph.joined(units, unitCount);
    int[] before = before(graph, groups, nodes);
    Partitioner partitioner = new Partitioner(small, nodes.size(), slack(small, before, nodes));
    int[] part = choose(small, partitioner, before, seed);
    Map<Long, Integer> now = new HashMap<>();
    moved = 0;
    for (int v = 0; v < groups.length; v++) {
      int node = nodes.get(part[units[v]]);
      now.put(groups[v], node);
      Integer was = owners.get(groups[v]);
      moved += was != null && was != node ? 1 : 0;
    }
    owners = now;
    int[] all = Arrays.stream(units).map(u -> part[u]).toArray();
    return new double[] {graph.cutShare(all), graph.imbalance(all, nodes.size())};
  }

  /** A node that has just joined should get an equal share, not merely the excess of the others. */
  private double slack(Graph small, int[] before, List<Integer> nodes) {
    double[] sums = new double[nodes.size()];
    for (int u = 0; u < before.length; u++) {
      if (before[u] >= 0) {
        sums[before[u]] += small.weights[u];
      }
    }
    return Arrays.stream(sums).anyMatch(sum -> sum == 0)
        ? Math.min(SLACK_AT_JOIN, limits.slack())
        : limits.slack();
  }

  /** Part of each unit by the weight of its groups' nodes; -1 for units that are new. */
  private int[] before(Graph graph, long[] groups, List<Integer> nodes) {
    double[][] weights = new double[unitCount][nodes.size()];
    for (int v = 0; v < groups.length; v++) {
      Integer owner = owners.get(groups[v]);
      int part = owner == null ? -1 : nodes.indexOf(owner);
      if (part >= 0) {
        weights[units[v]][part] += graph.weights[v];
      }
    }
    int[] before = new int[unitCount];
    for (int u = 0; u < unitCount; u++) {
      before[u] = -1;
      double most = 0;
      for (int p = 0; p < nodes.size(); p++) {
        if (weights[u][p] > most) {
          most = weights[u][p];
          before[u] = p;
        }
      }
    }
    return before;
  }

  private int[] choose(Graph small, Partitioner partitioner, int[] before, long seed) {
    int[] fresh = partitioner.fresh(seed);
    if (Arrays.stream(before).allMatch(p -> p < 0)) {
      return fresh;
    }
    int parts = 1 + Math.max(max(fresh), max(before));
    renameLike(small, fresh, before, parts);
    int[] adjusted = before.clone();
    for (int u = 0; u < adjusted.length; u++) {
      adjusted[u] = adjusted[u] < 0 ? fresh[u] : adjusted[u];
    }
    boolean isEverybodyThere = Arrays.stream(adjusted).distinct().count() == parts;
    if (isResumed && isEverybodyThere) {
      isResumed = false;
      return adjusted;
    }
    isResumed = false;
    int[] start = adjusted.clone();
    double budget = small.weight() * limits.maxMoved();
    partitioner.refine(adjusted, new Random(seed), limits.hysteresis(), budget);
    if (partitioner.cost(fresh) >= partitioner.cost(adjusted) - limits.hysteresis()) {
      return adjusted;
    }
    return towards(small, start, fresh, budget);
  }

  private static int max(int[] values) {
    return Arrays.stream(values).max().orElse(0);
  }

  /** Names the parts of {@code fresh} such that the most weight stays where it is. */
  private static void renameLike(Graph graph, int[] fresh, int[] before, int parts) {
    double[][] common = new double[parts][parts];
    for (int u = 0; u < fresh.length; u++) {
      if (before[u] >= 0) {
        common[fresh[u]][before[u]] += graph.weights[u];
      }
    }
    int[] name = new int[parts];
    Arrays.fill(name, -1);
    boolean[] taken = new boolean[parts];
    for (int round = 0; round < parts; round++) {
      int from = -1;
      int to = -1;
      for (int p = 0; p < parts; p++) {
        for (int q = 0; q < parts && name[p] < 0; q++) {
          if (!taken[q] && (from < 0 || common[p][q] > common[from][to])) {
            from = p;
            to = q;
          }
        }
      }
      name[from] = to;
      taken[to] = true;
    }
    for (int u = 0; u < fresh.length; u++) {
      fresh[u] = name[fresh[u]];
    }
  }

  /**
   * Applies as much of {@code fresh} as may move in a round, the moves that gain most per weight
   * first; none that would make a node busier than nodes may be, or are already: everything on one
   * node cuts least.
   */
  private int[] towards(Graph graph, int[] start, int[] fresh, double budget) {
    int[] part = start.clone();
    double[] load = new double[1 + Math.max(max(start), max(fresh))];
    for (int u = 0; u < part.length; u++) {
      load[part[u]] += graph.weights[u];
    }
    double most =
        Math.max(
            graph.weight() / load.length * (1 + limits.slack()),
            Arrays.stream(load).max().orElse(0));
    double left = budget;
    while (true) {
      int best = -1;
      double highest = Double.NEGATIVE_INFINITY;
      for (int u = 0; u < part.length; u++) {
        if (part[u] != fresh[u]
            && graph.weights[u] <= left
            && load[fresh[u]] + graph.weights[u] <= most) {
          double gain = 0;
          for (int i = 0; i < graph.neighbours[u].length; i++) {
            int other = part[graph.neighbours[u][i]];
            gain += other == fresh[u] ? graph.edges[u][i] : 0;
            gain -= other == part[u] ? graph.edges[u][i] : 0;
          }
          double worth = gain / Math.max(graph.weights[u], 1e-9);
          if (worth > highest) {
            highest = worth;
            best = u;
          }
        }
      }
      if (best < 0) {
        return part;
      }
      left -= graph.weights[best];
      load[part[best]] -= graph.weights[best];
      load[fresh[best]] += graph.weights[best];
      part[best] = fresh[best];
    }
  }
}
