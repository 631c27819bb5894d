package io.gauss.router.train;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An undirected graph with weights, as arrays. Immutable. */
final class Graph {
  final double[] weights;
  final int[][] neighbours;
  final double[][] edges;

  private Graph(double[] weights, int[][] neighbours, double[][] edges) {
    this.weights = weights;
    this.neighbours = neighbours;
    this.edges = edges;
  }

  int size() {
    return weights.length;
  }

  double weight() {
    double sum = 0;
    for (double w : weights) {
      sum += w;
    }
    return sum;
  }

  /** Weight of edges between parts divided by that of all edges; 0 without edges. */
  double cutShare(int[] part) {
    double cut = 0;
    double all = 0;
    for (int v = 0; v < size(); v++) {
      for (int i = 0; i < neighbours[v].length; i++) {
        all += edges[v][i];
        cut += part[v] == part[neighbours[v][i]] ? 0 : edges[v][i];
      }
    }
    return all == 0 ? 0 : cut / all;
  }

  /** The heaviest part divided by the mean. */
  double imbalance(int[] part, int parts) {
    double[] sums = sums(part, parts);
    double most = 0;
    for (double sum : sums) {
      most = Math.max(most, sum);
    }
    double mean = weight() / parts;
    return mean == 0 ? 1 : most / mean;
  }

  double[] sums(int[] part, int parts) {
    double[] sums = new double[parts];
    for (int v = 0; v < size(); v++) {
      sums[part[v]] += weights[v];
    }
    return sums;
  }

  /** Weight of the edges of {@code v} to each part. */
  double[] connections(int v, int[] part, int parts) {
    double[] connections = new double[parts];
    for (int i = 0; i < neighbours[v].length; i++) {
      connections[part[neighbours[v][i]]] += edges[v][i];
    }
    return connections;
  }

  /** The graph of sets of vertices. */
  Graph joined(int[] set, int sets) {
    Builder builder = new Builder(sets);
    for (int v = 0; v < size(); v++) {
      builder.weigh(set[v], weights[v]);
      for (int i = 0; i < neighbours[v].length; i++) {
        int u = neighbours[v][i];
        if (v < u && set[v] != set[u]) {
          builder.join(set[v], set[u], edges[v][i]);
        }
      }
    }
    return builder.build();
  }

  /** Collects vertices and edges; the weights of an edge given twice are added. */
  static final class Builder {
    private final double[] weights;
    private final List<Map<Integer, Double>> edges = new ArrayList<>();

    Builder(int size) {
      this.weights = new double[size];
      for (int i = 0; i < size; i++) {
        edges.add(new TreeMap<>());
      }
    }

    void weigh(int v, double weight) {
      weights[v] += weight;
    }

    void join(int v, int u, double weight) {
      edges.get(v).merge(u, weight, Double::sum);
      edges.get(u).merge(v, weight, Double::sum);
    }

    Graph build() {
      int[][] neighbours = new int[weights.length][];
      double[][] weight = new double[weights.length][];
      for (int v = 0; v < weights.length; v++) {
        Map<Integer, Double> of = edges.get(v);
        neighbours[v] = of.keySet().stream().mapToInt(Integer::intValue).toArray();
        weight[v] = of.values().stream().mapToDouble(Double::doubleValue).toArray();
      }
      return new Graph(weights, neighbours, weight);
    }
  }
}
