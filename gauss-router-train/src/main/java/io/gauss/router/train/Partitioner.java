package io.gauss.router.train;

import java.util.Arrays;
import java.util.Random;

/**
 * Divides the vertices of a small graph into parts of about equal weight with few edges between
 * them: parts grow from several starting points, and vertices move while that helps (Fiduccia and
 * Mattheyses without buckets: the graph has some hundred vertices). Deterministic by its seed.
 */
final class Partitioner {
  private static final int STARTS = 12;
  private static final int PASSES = 12;

  private final Graph graph;
  private final int parts;
  private final double maxWeight;

  /**
   * @param slack weight that a part may have above the mean, as a share of it
   */
  Partitioner(Graph graph, int parts, double slack) {
    this.graph = graph;
    this.parts = parts;
    double heaviest = Arrays.stream(graph.weights).max().orElse(0);
    double mean = graph.weight() / parts;
    // A vertex cannot be divided: half of the heaviest may always be too much.
    this.maxWeight = Math.max(mean * (1 + slack), Math.min(heaviest, mean + heaviest / 2));
  }

  /** A partition made anew. */
  int[] fresh(long seed) {
    int[] best = null;
    double least = Double.MAX_VALUE;
    for (int start = 0; start < STARTS; start++) {
      Random random = new Random(seed + start);
      int[] part = grow(random);
      refine(part, random, 0, Double.MAX_VALUE);
      double cost = cost(part);
      if (cost < least) {
        least = cost;
        best = part;
      }
    }
    return best;
  }

  /**
   * The measure by which partitions are compared: edges cut, and weight above the maximum of a
   * part.
   */
  double cost(int[] part) {
    double over = 0;
    for (double sum : graph.sums(part, parts)) {
      over += Math.max(0, sum - maxWeight);
    }
    double weight = graph.weight();
    return graph.cutShare(part) + (weight == 0 ? 0 : 4 * over / weight);
  }

  private int[] grow(Random random) {
    int[] part = new int[graph.size()];
    Arrays.fill(part, -1);
    double mean = graph.weight() / parts;
    int left = part.length;
    for (int p = 0; p < parts && left > 0; p++) {
      double[] pull = new double[part.length];
      double sum = 0;
      int next = any(part, random);
      while (next >= 0 && left > 0 && (p == parts - 1 || sum + graph.weights[next] / 2 <= mean)) {
        part[next] = p;
        sum += graph.weights[next];
        left--;
        for (int i = 0; i < graph.neighbours[next].length; i++) {
          pull[graph.neighbours[next][i]] += graph.edges[next][i];
        }
        next = strongest(part, pull, random);
      }
    }
    for (int v = 0; v < part.length; v++) {
      part[v] = part[v] < 0 ? lightest(part) : part[v];
    }
    return part;
  }

  private static int any(int[] part, Random random) {
    int from = random.nextInt(part.length);
    for (int i = 0; i < part.length; i++) {
      int v = (from + i) % part.length;
      if (part[v] < 0) {
        return v;
      }
    }
    return -1;
  }

  private int strongest(int[] part, double[] pull, Random random) {
    int best = -1;
    double highest = 0;
    for (int v = 0; v < part.length; v++) {
      double strength = pull[v] / Math.max(graph.weights[v], 1e-9);
      if (part[v] < 0 && strength > highest) {
        highest = strength;
        best = v;
      }
    }
    return best >= 0 ? best : any(part, random);
  }

  private int lightest(int[] part) {
    double[] sums = new double[parts];
    for (int v = 0; v < part.length; v++) {
      if (part[v] >= 0) {
        sums[part[v]] += graph.weights[v];
      }
    }
    int lightest = 0;
    for (int p = 1; p < parts; p++) {
      lightest = sums[p] < sums[lightest] ? p : lightest;
    }
    return lightest;
  }

  /**
   * Moves vertices while that cuts fewer edges or relieves a part that is too heavy.
   *
   * @param part changed in place
   * @param hysteresis a move must gain this share of the vertex's edges
   * @param budget weight that may move; moves that relieve a part also count
   * @return weight that moved
   */
  double refine(int[] part, Random random, double hysteresis, double budget) {
    double[] sums = graph.sums(part, parts);
    double moved = 0;
    for (int pass = 0; pass < PASSES; pass++) {
      boolean any = false;
      for (int v : Units.order(graph.size(), random)) {
        int to = better(v, part, sums, hysteresis);
        if (to >= 0 && moved + graph.weights[v] <= budget) {
          sums[part[v]] -= graph.weights[v];
          sums[to] += graph.weights[v];
          part[v] = to;
          moved += graph.weights[v];
          any = true;
        }
      }
      if (!any) {
        break;
      }
    }
    return moved;
  }

  /** The part to which {@code v} should move; -1 to stay. */
  private int better(int v, int[] part, double[] sums, double hysteresis) {
    double[] to = graph.connections(v, part, parts);
    double all = Arrays.stream(to).sum();
    double weight = graph.weights[v];
    boolean relieve = sums[part[v]] > maxWeight;
    int best = -1;
    double most = relieve ? Double.NEGATIVE_INFINITY : Math.max(hysteresis * all, 1e-12);
    for (int p = 0; p < parts; p++) {
      boolean fits = sums[p] + weight <= maxWeight;
      // If it fits nowhere, the move must at least make the heaviest part lighter.
      boolean helps = relieve && sums[p] + weight < sums[part[v]];
      double gain = to[p] - to[part[v]];
      if (p != part[v] && (fits || helps) && gain > most) {
        most = gain;
        best = p;
      }
    }
    return best;
  }
}
