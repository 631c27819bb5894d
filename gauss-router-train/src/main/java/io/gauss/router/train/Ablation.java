package io.gauss.router.train;

import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.KnownKeys;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.RoutingModel;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * What each part of that which was learned is worth: the share of what later transactions touch
 * that would have to come from other nodes, if drivers had only this part. What a part does not
 * know is anywhere.
 */
final class Ablation {
  private final Learned learned;
  private final List<TransactionSample> later;

  private Ablation(Learned learned, List<TransactionSample> later) {
    this.learned = learned;
    this.later = later;
  }

  /**
   * @param learned with a model and a table
   * @param later samples that it was not learned from, at least one
   * @return by part, 0 to 1
   */
  static Map<String, Double> of(Learned learned, List<TransactionSample> later) {
    return new Ablation(learned, later).parts();
  }

  private Map<String, Double> parts() {
    Map<String, Double> away = new LinkedHashMap<>();
    RoutingModel model = learned.model();
    try (ModelSnapshot whole = snapshot(model);
        ModelSnapshot network = snapshot(model.with(KnownKeys.NONE))) {
      ToIntFunction<TransactionSample> byTable =
          s -> learned.table().node(s.template().id(), s.values());
      ToIntFunction<TransactionSample> byKeys = s -> byKeys(whole, s);
      away.put("nothing", learned.away(later, s -> 0));
      away.put("table", learned.away(later, byTable));
      away.put("keys", learned.away(later, byKeys));
      away.put("owners", learned.away(later, this::byOwner));
      away.put(
          "table, keys, owners",
          best(
              List.of(
                  s -> first(s, List.of(byTable, byKeys, this::byOwner)),
                  s -> first(s, List.of(byKeys, byTable, this::byOwner)),
                  s -> first(s, List.of(this::byOwner, byTable, byKeys)))));
      away.put("network", learned.away(later, s -> UnitModel.node(network, s)));
      away.put("network, keys", learned.away(later, s -> UnitModel.node(whole, s)));
      away.put("all", learned.transfers(later));
      away.put("best node", learned.away(later, this::bestNode));
    }
    return away;
  }

  private static ModelSnapshot snapshot(RoutingModel model) {
    return new ModelSnapshot(model, new JavaEngine(model.layers()));
  }

  /** If for each template the best of these orders of questions is known. */
  private double best(List<ToIntFunction<TransactionSample>> orders) {
    Map<Long, double[]> byTemplate = new HashMap<>();
    double all = 0;
    for (TransactionSample s : later) {
      double[] away = byTemplate.computeIfAbsent(s.template().id(), t -> new double[orders.size()]);
      for (int o = 0; o < away.length; o++) {
        int node = orders.get(o).applyAsInt(s);
        away[o] += s.weight() * Learned.away(s, node, learned.places(), learned.nodes());
      }
      all += s.weight() * Learned.touched(s);
    }
    double least = 0;
    for (double[] away : byTemplate.values()) {
      double of = away[0];
      for (double other : away) {
        of = Math.min(of, other);
      }
      least += of;
    }
    return all == 0 ? 0 : least / all;
  }

  /** The first answer that is known; 0 = none. */
  private static int first(
      TransactionSample sample, List<ToIntFunction<TransactionSample>> answers) {
    for (ToIntFunction<TransactionSample> answer : answers) {
      int node = answer.applyAsInt(sample);
      if (node != 0) {
        return node;
      }
    }
    return 0;
  }

  private static int byKeys(ModelSnapshot model, TransactionSample s) {
    int place = model.encoder().place(s.template().id(), s.values().length);
    return place >= 0 && model.looksUp(place, s.values()) ? UnitModel.node(model, s) : 0;
  }

  private int byOwner(TransactionSample s) {
    GroupPlace owner = s.keyGroup() == 0 ? null : learned.places().get(s.keyGroup());
    return owner == null ? 0 : owner.node();
  }

  /** Where the transaction would have least to get, if one knew all that it touches. */
  private int bestNode(TransactionSample s) {
    int best = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int node : learned.nodes()) {
      double away = Learned.away(s, node, learned.places(), learned.nodes());
      if (away < least) {
        least = away;
        best = node;
      }
    }
    return best;
  }
}
