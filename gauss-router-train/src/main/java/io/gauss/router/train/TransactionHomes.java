package io.gauss.router.train;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Determines the home node of each of some transactions: the one that owns most of the groups that
 * it touches. A group that transactions of all nodes touch means little, whichever node owns it,
 * and counts for less.
 */
final class TransactionHomes {
  private static final int PASSES = 3;

  /**
   * The weight of a group that means nothing; above 0, so that transactions with no other groups
   * get a home.
   */
  private static final double NEXT_TO_NOTHING = 0.01;

  private final int[] homes;
  private final Map<Long, double[]> shares = new HashMap<>();
  private final Map<Long, Double> counts = new HashMap<>();
  private double all;

  /**
   * @param owners node by group
   * @param nodes numbers of the nodes
   */
  TransactionHomes(
      List<TransactionSample> samples, Map<Long, Integer> owners, List<Integer> nodes) {
    this.homes = new int[samples.size()];
    for (TransactionSample sample : samples) {
      all += sample.weight();
      for (long group : sample.groups()) {
        counts.merge(group, sample.weight(), Double::sum);
      }
    }
    for (int pass = 0; pass < PASSES; pass++) {
      for (int i = 0; i < homes.length; i++) {
        homes[i] = home(samples.get(i), owners, nodes);
      }
      shares.clear();
      for (int i = 0; i < homes.length; i++) {
        int place = nodes.indexOf(homes[i]);
        double[] weights = AffinityGraph.weights(samples.get(i));
        for (int g = 0; g < weights.length && place >= 0; g++) {
          shares
                  .computeIfAbsent(samples.get(i).groups()[g], x -> new double[nodes.size()])[
                  place] +=
              samples.get(i).weight() * weights[g];
        }
      }
    }
  }

  private int home(TransactionSample sample, Map<Long, Integer> owners, List<Integer> nodes) {
    double[] votes = new double[nodes.size()];
    double[] weights = AffinityGraph.weights(sample);
    for (int g = 0; g < weights.length; g++) {
      Integer owner = owners.get(sample.groups()[g]);
      int place = owner == null ? -1 : nodes.indexOf(owner);
      if (place >= 0) {
        votes[place] += weights[g] * concentration(sample.groups()[g], place, nodes.size());
      }
    }
    int best = -1;
    for (int n = 0; n < votes.length; n++) {
      best = votes[n] > 0 && (best < 0 || votes[n] > votes[best]) ? n : best;
    }
    return best < 0 ? 0 : nodes.get(best);
  }

  /**
   * The share of the group's use that is on the node, less the share expected at random. While
   * there are no homes yet, it is derived from the group's use: a group that is touched by more
   * transactions than one node should get (a page with a row of each warehouse) does not show where
   * they belong. If it counted, it would draw them all to its owner, and then appear to be used
   * only there.
   */
  private double concentration(long group, int place, int nodes) {
    double[] share = shares.get(group);
    if (share == null) {
      double touched = counts.get(group) / all;
      return nodes == 1 ? 1 : Math.max(NEXT_TO_NOTHING, 1 - nodes * touched);
    }
    double sum = 0;
    for (double s : share) {
      sum += s;
    }
    double chance = 1.0 / share.length;
    return share.length == 1
        ? 1
        : Math.max(NEXT_TO_NOTHING, (share[place] / sum - chance) / (1 - chance));
  }

  /** Number of the sample's node; 0 when none of its groups has an owner. */
  int home(int sample) {
    return homes[sample];
  }

  /** By group, the share of its use by transactions of each node (in their order). */
  Map<Long, double[]> shares() {
    return shares;
  }
}
