package io.gauss.router.train;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * What transactions would have to get from other nodes, if each runs where a router sends it: the
 * weight of the groups that it touches there and that are elsewhere.
 *
 * <p>A group with a place is where it should be. One without, such as those of rows that were added
 * since, is where transactions use it: of each that touches it, the share counts that the others
 * have on other nodes. So a router that sends all of them to one node has nothing to get, wherever
 * that is, and one that spreads them has.
 */
final class Away {
  private final Map<Long, GroupPlace> places;
  private final List<Integer> nodes;
  private final Map<Long, double[]> users = new HashMap<>(); // of groups without a place, by node

  private Away(Map<Long, GroupPlace> places, List<Integer> nodes) {
    this.places = places;
    this.nodes = nodes;
  }

  /**
   * For each sample the weight of one transaction; what it stands for does not count here.
   *
   * @param router gives the number of the node; 0, or one that is not there = it may be any
   */
  static double[] of(
      List<TransactionSample> samples,
      ToIntFunction<TransactionSample> router,
      Map<Long, GroupPlace> places,
      List<Integer> nodes) {
    Away away = new Away(places, nodes);
    int[] sent = new int[samples.size()]; // place of the node; -1 = any
    for (int i = 0; i < sent.length; i++) {
      sent[i] = nodes.indexOf(router.applyAsInt(samples.get(i)));
      away.use(samples.get(i), sent[i]);
    }
    double[] all = new double[sent.length];
    for (int i = 0; i < sent.length; i++) {
      all[i] = away.of(samples.get(i), sent[i]);
    }
    return all;
  }

  private void use(TransactionSample s, int node) {
    double[] weights = AffinityGraph.weights(s);
    for (int g = 0; g < weights.length; g++) {
      if (place(s.groups()[g]) < 0) {
        double[] of = users.computeIfAbsent(s.groups()[g], x -> new double[nodes.size()]);
        for (int n = 0; n < of.length; n++) {
          double share = node < 0 ? 1.0 / of.length : node == n ? 1 : 0;
          of[n] += s.weight() * weights[g] * share;
        }
      }
    }
  }

  /** Place of the group's node among the nodes; -1 = it has none. */
  private int place(long group) {
    GroupPlace place = places.get(group);
    return place == null ? -1 : nodes.indexOf(place.node());
  }

  private double of(TransactionSample s, int node) {
    double away = 0;
    double[] weights = AffinityGraph.weights(s);
    for (int g = 0; g < weights.length; g++) {
      away += weights[g] * elsewhere(s.groups()[g], node);
    }
    return away;
  }

  /** The probability that a page of the group has to come from another node, 0 to 1. */
  private double elsewhere(long group, int node) {
    if (node < 0) {
      return 1 - 1.0 / nodes.size();
    }
    int place = place(group);
    if (place >= 0) {
      return place == node ? 0 : 1;
    }
    double[] of = users.get(group);
    double all = Arrays.stream(of).sum();
    return all == 0 ? 0 : 1 - of[node] / all;
  }

  /** The weight of what a transaction touches. */
  static double touched(TransactionSample s) {
    return Arrays.stream(AffinityGraph.weights(s)).sum();
  }
}
