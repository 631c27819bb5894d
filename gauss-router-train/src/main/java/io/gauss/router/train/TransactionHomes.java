package io.gauss.router.train;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * On which node each of some transactions belongs: the one that owns most of what it touches. A
 * group that transactions of all nodes touch says little, whoever owns it, and counts for less.
 */
final class TransactionHomes {
  private static final int PASSES = 3;

  /** What a group counts that says nothing, lest transactions that have no other be homeless. */
  private static final double NEXT_TO_NOTHING = 0.01;

  private final int[] homes;
  private final Map<Long, double[]> shares = new HashMap<>();
  private final Map<Long, Integer> counts = new HashMap<>();

  /**
   * @param owners node by group
   * @param nodes numbers of the nodes
   */
  TransactionHomes(
      List<TransactionSample> samples, Map<Long, Integer> owners, List<Integer> nodes) {
    this.homes = new int[samples.size()];
    for (TransactionSample sample : samples) {
      for (long group : sample.groups()) {
        counts.merge(group, 1, Integer::sum);
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
              weights[g];
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
   * Of the group's use, the share that is on the node, less what it would be at random. Before
   * there are homes to say so: a group that more transactions touch than one node is to have (a
   * page with a row of each warehouse) cannot tell where they belong. If it counted, it would draw
   * them all to its owner, and then look as if it were used there only.
   */
  private double concentration(long group, int place, int nodes) {
    double[] share = shares.get(group);
    if (share == null) {
      double touched = (double) counts.get(group) / homes.length;
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

  /** Number of the sample's node; 0 when nothing of it has an owner. */
  int home(int sample) {
    return homes[sample];
  }

  /** By group, how much of its use is by transactions of each node (in their order). */
  Map<Long, double[]> shares() {
    return shares;
  }
}
