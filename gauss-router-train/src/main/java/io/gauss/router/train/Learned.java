package io.gauss.router.train;

import io.gauss.jdbc.routing.DecisionOrder;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
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
   * The share of what these transactions touch that would have to come from other nodes ({@link
   * Away}), 0 to 1: if each runs where drivers send it. One of which nothing is known is anywhere.
   */
  double transfers(List<TransactionSample> samples) {
    return share(samples, away(samples));
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
    return share(samples, each(samples, router));
  }

  private static double share(List<TransactionSample> samples, double[] away) {
    double all = samples.stream().mapToDouble(s -> s.weight() * Away.touched(s)).sum();
    return all == 0 ? 0 : Arrays.stream(away).sum() / all;
  }

  private double[] each(List<TransactionSample> samples, ToIntFunction<TransactionSample> router) {
    double[] away = Away.of(samples, router, places, nodes);
    for (int i = 0; i < away.length; i++) {
      away[i] *= samples.get(i).weight();
    }
    return away;
  }

  private ModelSnapshot snapshot() {
    return model == null ? null : new ModelSnapshot(model, new JavaEngine(model.layers()));
  }

  /** As drivers choose; 0 = not known. */
  int node(ModelSnapshot snapshot, TransactionSample s) {
    long template = s.template().id();
    Supplier<Integer> owner = () -> known(owner(s));
    Supplier<Integer> range = () -> table == null ? null : known(table.node(template, s.values()));
    Integer node = null;
    if (model != null) {
      node =
          DecisionOrder.withModel(
              model, template, owner, range, () -> known(UnitModel.node(snapshot, s)));
    } else if (table != null) {
      node = DecisionOrder.withTable(table, template, owner, range);
    }
    return node == null ? 0 : node;
  }

  private static Integer known(int node) {
    return node == 0 ? null : node;
  }

  /** Number of the node that has the rows of the first statement's key; 0 = not known. */
  int owner(TransactionSample s) {
    GroupPlace owner = s.keyGroup() == 0 ? null : places.get(s.keyGroup());
    return owner == null || !nodes.contains(owner.node()) ? 0 : owner.node();
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
