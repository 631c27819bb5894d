package io.gauss.router.train;

import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * What a round has learned, or what is published.
 *
 * @param model null = there is none
 * @param table null = there is none
 * @param places of the page groups
 * @param nodes for which it was learned, ascending
 * @param sources of which tables the values in model and table are
 */
record Learned(
    RoutingModel model,
    RoutingTable table,
    Map<Long, GroupPlace> places,
    List<Integer> nodes,
    PublicationSources sources) {
  /** The same under another version. */
  Learned as(long version) {
    return new Learned(
        model == null ? null : model.as(version),
        table == null ? null : new RoutingTable(version, table.entries(), table.byOwner()),
        places,
        nodes,
        sources);
  }

  /**
   * The share of what these transactions touch that would have to come from other nodes, 0 to 1: if
   * each runs where model or table send it, and each group is where it should be. A transaction of
   * which they know nothing, or a group without a place, is anywhere.
   */
  double transfers(List<TransactionSample> samples) {
    double all = samples.stream().mapToDouble(s -> s.weight() * touched(s)).sum();
    return all == 0 ? 0 : Arrays.stream(away(samples)).sum() / all;
  }

  /** For each of the transactions that a sample stands for, what would have to come, in all. */
  double[] away(List<TransactionSample> samples) {
    try (ModelSnapshot snapshot = snapshot()) {
      return each(samples, s -> node(snapshot, s));
    }
  }

  /**
   * {@link #transfers} if each transaction runs where something else sends it; 0 = it is not known.
   */
  double away(List<TransactionSample> samples, ToIntFunction<TransactionSample> router) {
    double all = samples.stream().mapToDouble(s -> s.weight() * touched(s)).sum();
    return all == 0 ? 0 : Arrays.stream(each(samples, router)).sum() / all;
  }

  private double[] each(List<TransactionSample> samples, ToIntFunction<TransactionSample> router) {
    double[] away = new double[samples.size()];
    for (int i = 0; i < away.length; i++) {
      TransactionSample s = samples.get(i);
      away[i] = s.weight() * away(s, router.applyAsInt(s), places, nodes);
    }
    return away;
  }

  private ModelSnapshot snapshot() {
    return model == null ? null : new ModelSnapshot(model, new JavaEngine(model.layers()));
  }

  /** As drivers choose; 0 = not known. */
  private int node(ModelSnapshot snapshot, TransactionSample s) {
    long template = s.template().id();
    GroupPlace owner = s.keyGroup() == 0 ? null : places.get(s.keyGroup());
    boolean ownerFirst =
        model != null
            ? model.byOwner().contains(template)
            : table != null && table.byOwner().contains(template);
    int node = ownerFirst && owner != null ? owner.node() : 0;
    if (node == 0 && table != null && model != null && model.byTable().contains(template)) {
      node = table.node(template, s.values());
    }
    if (node == 0 && snapshot != null) {
      node = UnitModel.node(snapshot, s);
    }
    if (node == 0 && table != null) {
      node = table.node(template, s.values());
    }
    return node == 0 && owner != null ? owner.node() : node;
  }

  /** The weight of what a transaction touches. */
  static double touched(TransactionSample s) {
    return Arrays.stream(AffinityGraph.weights(s)).sum();
  }

  /**
   * The weight of what a transaction touches that would have to come from other nodes.
   *
   * @param node on which it runs; 0 = any
   */
  static double away(
      TransactionSample s, int node, Map<Long, GroupPlace> places, List<Integer> nodes) {
    double elsewhere = 1 - 1.0 / nodes.size();
    double away = 0;
    double[] weights = AffinityGraph.weights(s);
    for (int g = 0; g < weights.length; g++) {
      GroupPlace place = places.get(s.groups()[g]);
      boolean isUnknown = node == 0 || place == null || !nodes.contains(place.node());
      away += weights[g] * (isUnknown ? elsewhere : place.node() == node ? 0 : 1);
    }
    return away;
  }

  /** The load of the busiest node divided by the mean, if each group is where it should be. */
  double imbalance(long[] groups, float[] weights) {
    double[] load = new double[nodes.size()];
    double all = 0;
    for (int i = 0; i < groups.length; i++) {
      GroupPlace place = places.get(groups[i]);
      int at = place == null ? -1 : nodes.indexOf(place.node());
      if (at >= 0) {
        load[at] += weights[i];
        all += weights[i];
      }
    }
    double most = 0;
    for (double of : load) {
      most = Math.max(most, of);
    }
    return all == 0 ? 1 : most * load.length / all;
  }

  /** The nodes of a published model. */
  static List<Integer> nodes(RoutingModel model) {
    return model.nodes().stream().map(NodeShare::node).sorted().toList();
  }
}
