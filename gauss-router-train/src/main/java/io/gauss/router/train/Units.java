package io.gauss.router.train;

import java.util.Arrays;
import java.util.Random;

/**
 * Joins page groups that belong together into units, until there are few enough: the partition
 * moves units and the model predicts them. Heavy edges are contracted first (relative to the weight
 * of what they join, so that a group that all transactions read does not absorb its readers), each
 * vertex with one other per pass; a vertex without edges is joined to its neighbour by number.
 */
final class Units {
  private Units() {}

  /**
   * @param most units wanted at most
   * @param maxShare of the graph's weight that contraction may put into one unit
   * @return the unit of each vertex, from 0 without gaps
   */
  static int[] of(Graph graph, int most, double maxShare, long seed) {
    int[] unit = new int[graph.size()];
    Arrays.setAll(unit, i -> i);
    Graph current = graph;
    double maxWeight = graph.weight() * maxShare;
    Random random = new Random(seed);
    while (current.size() > most) {
      int[] set = matching(current, maxWeight, random, current.size() - most);
      int sets = 1 + Arrays.stream(set).max().orElse(0);
      if (sets > current.size() * 0.95) {
        set = lightNeighbours(current, most);
        sets = 1 + Arrays.stream(set).max().orElse(0);
      }
      for (int i = 0; i < unit.length; i++) {
        unit[i] = set[unit[i]];
      }
      current = current.joined(set, sets);
    }
    return unit;
  }

  private static int[] matching(Graph graph, double maxWeight, Random random, int joins) {
    int[] order = order(graph.size(), random);
    int[] mate = new int[graph.size()];
    Arrays.fill(mate, -1);
    int left = joins;
    for (int v : order) {
      if (mate[v] >= 0 || left == 0) {
        continue;
      }
      int best = -1;
      double highest = 0;
      for (int i = 0; i < graph.neighbours[v].length; i++) {
        int u = graph.neighbours[v][i];
        double product = graph.weights[v] * graph.weights[u];
        double strength = graph.edges[v][i] / Math.max(product, 1e-9);
        if (mate[u] < 0 && strength > highest && graph.weights[v] + graph.weights[u] <= maxWeight) {
          highest = strength;
          best = u;
        }
      }
      if (best >= 0) {
        mate[v] = best;
        mate[best] = v;
        left--;
      }
    }
    int[] set = new int[graph.size()];
    int sets = 0;
    for (int v = 0; v < set.length; v++) {
      set[v] = mate[v] >= 0 && mate[v] < v ? set[mate[v]] : sets++;
    }
    return set;
  }

  static int[] order(int size, Random random) {
    int[] order = new int[size];
    for (int i = 0; i < size; i++) {
      int at = random.nextInt(i + 1);
      order[i] = order[at];
      order[at] = i;
    }
    return order;
  }

  /** Joins runs of vertices, by number, so that about {@code most} of equal weight are left. */
  private static int[] lightNeighbours(Graph graph, int most) {
    double each = graph.weight() / most;
    int[] set = new int[graph.size()];
    double sum = 0;
    for (int v = 0; v < set.length; v++) {
      set[v] = Math.min(most - 1, (int) (sum / Math.max(each, 1e-9)));
      sum += graph.weights[v];
    }
    int sets = -1;
    int before = -1;
    for (int v = 0; v < set.length; v++) {
      if (set[v] != before) {
        before = set[v];
        sets++;
      }
      set[v] = sets;
    }
    return set;
  }
}
