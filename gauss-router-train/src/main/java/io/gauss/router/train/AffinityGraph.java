package io.gauss.router.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Records which page groups are touched by the same transactions. Vertices and edges have weights
 * that decay, so that old patterns are forgotten; when there are too many, the lightest are
 * dropped.
 *
 * <p>A vertex's weight is load: the processor time of the transactions that touch it, of which each
 * of a transaction's groups gets its share, those that it only reads nearly nothing: it will run
 * where what it writes is. An edge's weight is what it costs to cut it: a transaction adds the same
 * total however many groups it touches; the more edges there are, the less each one gets. Groups
 * that it only reads count less than those that it writes, since reading moves a page once and then
 * leaves copies everywhere; but if its page had to come from another node all the same, that was
 * the cost, and it counts like one that is written.
 *
 * <p>A group that is touched by more transactions than one node should get (a page with a row of
 * each warehouse) does not show where they belong, and would hold together groups that otherwise
 * belong apart: it is in the graph, nearly without weight and without edges.
 *
 * <p>When there are too many, each role has its share of them: groups and edges of the role whose
 * samples touch a group most. What is forgotten with time does not depend on how many transactions
 * a sample stands for: a busy role does not make the graph forget the others' groups.
 *
 * <p>Not thread-safe.
 */
final class AffinityGraph {
  /** The weight of reading a group that is here already, where writing it counts 1. */
  static final double READ_WEIGHT = 0.25;

  /** The fraction of its weight that counts for a group that all nodes touch, whichever owns it. */
  private static final double COMMON_WEIGHT = 0.01;

  /** Beyond these, groups are joined to the transaction's first one only. */
  private static final int CLIQUE = 24;

  private static final double FORGOTTEN = 0.01;

  /** The share of a group that is only read, where that of a written one is 1. */
  private static final double READ_LOAD = 0.05;

  /** The load of a mean transaction. */
  private static final double LOAD = 4;

  private static final class Vertex {
    private final long group;
    private final Map<Vertex, double[]> edges = new HashMap<>(); // weight, and kept
    private double weight;
    private double kept; // as weight, if each sample stood for as many transactions, of equal work
    private double touches;
    private int role;
    private double votes; // by which the role's samples are more than others'
    private long last; // number of the last addition that touched it

    private Vertex(long group) {
      this.group = group;
    }

    /** Boyer and Moore's majority vote: whoever has more than half of the votes is found. */
    private void vote(int of) {
      if (of == role) {
        votes++;
      } else if (votes >= 1) {
        votes--;
      } else {
        role = of;
        votes = 1;
      }
    }
  }

  private final Map<Long, Vertex> vertices = new HashMap<>();
  private final int maxVertices;
  private final int maxEdges;
  private int edges;
  private double transactions;
  private long additions;

  AffinityGraph(int maxVertices, int maxEdges) {
    this.maxVertices = maxVertices;
    this.maxEdges = maxEdges;
  }

  /** Adds a transaction of mean weight and work. */
  void add(TransactionSample sample) {
    add(sample, 1, 1);
  }

  /**
   * Adds a transaction.
   *
   * @param count of transactions that the sample stands for, 1 = as many as the mean
   * @param work processor time of one, 1 = the mean
   */
  void add(TransactionSample sample, double count, double work) {
    long[] groups = sample.groups();
    Vertex[] touched = new Vertex[groups.length];
    double[] weights = weights(sample);
    transactions += count;
    double sum = Arrays.stream(weights).map(AffinityGraph::load).sum();
    additions++;
    for (int i = 0; i < groups.length; i++) {
      touched[i] = vertices.computeIfAbsent(groups[i], Vertex::new);
      double load = LOAD * load(weights[i]) / sum;
      touched[i].weight += count * work * load;
      touched[i].kept += load;
      touched[i].vote(sample.role());
      touched[i].touches += count;
      touched[i].last = additions;
    }
    double share = 1.0 / Math.max(1, groups.length - 1);
    for (int i = 0; i < touched.length; i++) {
      int to = i < CLIQUE ? i : Math.min(i, 1);
      for (int k = 0; k < to; k++) {
        join(touched[i], touched[k], count, share * weights[i] * weights[k]);
      }
    }
    if (vertices.size() > maxVertices || edges > maxEdges) {
      dropLightest();
    }
  }

  /** The weight of each of the sample's groups. */
  static double[] weights(TransactionSample sample) {
    long[] written =
        LongStream.concat(Arrays.stream(sample.written()), Arrays.stream(sample.moved()))
            .sorted()
            .toArray();
    double[] weights = new double[sample.groups().length];
    for (int i = 0; i < weights.length; i++) {
      boolean isWritten = Arrays.binarySearch(written, sample.groups()[i]) >= 0;
      weights[i] = isWritten ? 1 : READ_WEIGHT;
    }
    return weights;
  }

  private static double load(double weight) {
    return weight < 1 ? READ_LOAD : weight;
  }

  private void join(Vertex a, Vertex b, double count, double weight) {
    double[] edge = a.edges.get(b);
    if (edge == null) {
      edge = new double[2];
      a.edges.put(b, edge);
      b.edges.put(a, edge);
      edges++;
    }
    edge[0] += count * weight;
    edge[1] += weight;
  }

  /** Multiplies all weights by this factor, 0 to 1. */
  void fade(double factor) {
    transactions *= factor;
    for (Vertex v : vertices.values()) {
      v.weight *= factor;
      v.kept *= factor;
      v.votes *= factor;
      v.touches *= factor;
      for (Map.Entry<Vertex, double[]> edge : v.edges.entrySet()) {
        if (v.group < edge.getKey().group) {
          edge.getValue()[0] *= factor;
          edge.getValue()[1] *= factor;
        }
      }
    }
    dropBelow(FORGOTTEN);
  }

  /**
   * Adds groups that belong together, as another trainer has learned it. Nobody knows which of them
   * have edges: each has one to the next.
   *
   * @param weights of the groups; those that would be forgotten at once count a little more
   */
  void addUnit(long[] groups, double[] weights) {
    additions++;
    Vertex before = null;
    for (int i = 0; i < groups.length; i++) {
      Vertex v = vertices.computeIfAbsent(groups[i], Vertex::new);
      double weight = Math.max(weights[i], 2 * FORGOTTEN);
      v.weight += weight;
      v.kept += weight;
      v.last = additions;
      if (before != null) {
        join(v, before, 1, Math.min(v.weight, before.weight));
      }
      before = v;
    }
    if (vertices.size() > maxVertices || edges > maxEdges) {
      dropLightest();
    }
  }

  void clear() {
    vertices.clear();
    edges = 0;
    transactions = 0;
  }

  /**
   * Down to three quarters of the bounds, so that this is not done for each transaction. Of a
   * role's equal weights those stay that were touched last: where all are alike, too many must not
   * mean none.
   */
  private void dropLightest() {
    List<Vertex> heaviest = new ArrayList<>(vertices.values());
    heaviest.sort(AffinityGraph::byWorth);
    if (vertices.size() > maxVertices) {
      heaviest = FairShare.best(heaviest, v -> v.role, maxVertices * 3 / 4);
      Set<Vertex> stay = new HashSet<>(heaviest);
      remove(vertices.values().stream().filter(v -> !stay.contains(v)).toList());
    }
    if (edges > maxEdges) {
      List<Edge> all = new ArrayList<>();
      for (Vertex v : heaviest) {
        v.edges.forEach(
            (other, weight) -> {
              if (v.group < other.group) {
                all.add(new Edge(v, other, weight[0]));
              }
            });
      }
      all.sort(Edge::byWorth);
      Set<Edge> stay = new HashSet<>(FairShare.best(all, e -> e.from.role, maxEdges * 3 / 4));
      for (Edge edge : all) {
        if (!stay.contains(edge)) {
          edge.from.edges.remove(edge.to);
          edge.to.edges.remove(edge.from);
        }
      }
      countEdges();
    }
  }

  private record Edge(Vertex from, Vertex to, double weight) {
    private static int byWorth(Edge a, Edge b) {
      int byWeight = Double.compare(b.weight, a.weight);
      if (byWeight != 0) {
        return byWeight;
      }
      int byFrom = AffinityGraph.byWorth(a.from, b.from);
      return byFrom != 0 ? byFrom : AffinityGraph.byWorth(a.to, b.to);
    }
  }

  private static int byWorth(Vertex a, Vertex b) {
    int byWeight = Double.compare(b.weight, a.weight);
    int byAge = byWeight != 0 ? byWeight : Long.compare(b.last, a.last);
    return byAge != 0 ? byAge : Long.compare(a.group, b.group);
  }

  private void dropBelow(double weight) {
    List<Vertex> gone = new ArrayList<>();
    for (Vertex v : vertices.values()) {
      if (v.kept < weight) {
        gone.add(v);
      }
      v.edges.values().removeIf(e -> e[1] < weight);
    }
    remove(gone);
  }

  private void remove(List<Vertex> gone) {
    for (Vertex v : gone) {
      vertices.remove(v.group);
      v.edges.keySet().forEach(other -> other.edges.remove(v));
    }
    countEdges();
  }

  private void countEdges() {
    edges = vertices.values().stream().mapToInt(v -> v.edges.size()).sum() / 2;
  }

  int size() {
    return vertices.size();
  }

  int edges() {
    return edges;
  }

  /**
   * The graph as it is now, with the groups in ascending order.
   *
   * @param nodes among which it is to be divided
   */
  Graph snapshot(long[] groups, int nodes) {
    Map<Vertex, Integer> places = new HashMap<>();
    for (int i = 0; i < groups.length; i++) {
      places.put(vertices.get(groups[i]), i);
    }
    Graph.Builder builder = new Graph.Builder(groups.length);
    for (int i = 0; i < groups.length; i++) {
      Vertex v = vertices.get(groups[i]);
      boolean isCommon = isCommon(v, nodes);
      builder.weigh(i, isCommon ? v.weight * COMMON_WEIGHT : v.weight);
      for (Map.Entry<Vertex, double[]> edge : v.edges.entrySet()) {
        int other = places.get(edge.getKey());
        if (i < other && !isCommon && !isCommon(edge.getKey(), nodes)) {
          builder.join(i, other, edge.getValue()[0]);
        }
      }
    }
    return builder.build();
  }

  private boolean isCommon(Vertex v, int nodes) {
    return nodes > 1 && v.touches > transactions / nodes;
  }

  /** The weights of these groups, whether or not all nodes touch them. */
  float[] weights(long[] groups) {
    float[] weights = new float[groups.length];
    for (int i = 0; i < groups.length; i++) {
      weights[i] = (float) vertices.get(groups[i]).weight;
    }
    return weights;
  }

  /** All groups, ascending. */
  long[] groups() {
    return vertices.keySet().stream().mapToLong(Long::longValue).sorted().toArray();
  }
}
