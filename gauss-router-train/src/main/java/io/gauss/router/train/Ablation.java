package io.gauss.router.train;

import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.KnownKeys;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.RoutingModel;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * What each part of that which was learned is worth: the share of what later transactions touch
 * that would have to come from other nodes, if drivers had only this part. What a part does not
 * know is anywhere.
 */
final class Ablation {
  private static final int HALVES = 2;

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
      away.put("owners", learned.away(later, learned::owner));
      away.put(
          "table, keys, owners",
          best(
              List.of(
                  s -> first(s, List.of(byTable, byKeys, learned::owner)),
                  s -> first(s, List.of(byKeys, byTable, learned::owner)),
                  s -> first(s, List.of(learned::owner, byTable, byKeys)))));
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

  /**
   * If for each template the best of these orders of questions is known: by the half of its samples
   * by which it is not judged, or the best would be the one that chance favours.
   */
  private double best(List<ToIntFunction<TransactionSample>> orders) {
    List<double[]> away =
        orders.stream()
            .map(order -> Away.of(later, order, learned.places(), learned.nodes()))
            .toList();
    Map<Long, double[][]> byTemplate = new HashMap<>(); // by half and order
    Map<Long, Integer> seen = new HashMap<>();
    double all = 0;
    for (int i = 0; i < later.size(); i++) {
      TransactionSample s = later.get(i);
      long template = s.template().id();
      double[][] halves =
          byTemplate.computeIfAbsent(template, t -> new double[HALVES][orders.size()]);
      int half = (seen.merge(template, 1, Integer::sum) - 1) % HALVES;
      for (int o = 0; o < orders.size(); o++) {
        halves[half][o] += s.weight() * away.get(o)[i];
      }
      all += s.weight() * Away.touched(s);
    }
    double sum = 0;
    for (double[][] halves : byTemplate.values()) {
      for (int half = 0; half < HALVES; half++) {
        sum += halves[half][least(halves[HALVES - 1 - half])];
      }
    }
    return all == 0 ? 0 : sum / all;
  }

  /** The place of the least, the first of equal ones. */
  private static int least(double[] values) {
    int least = 0;
    for (int i = 1; i < values.length; i++) {
      least = values[i] < values[least] ? i : least;
    }
    return least;
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

  /** The node that has most of what the transaction touches, if one knew all of that. */
  private int bestNode(TransactionSample s) {
    Map<Integer, Double> has = new TreeMap<>();
    double[] weights = AffinityGraph.weights(s);
    for (int g = 0; g < weights.length; g++) {
      GroupPlace place = learned.places().get(s.groups()[g]);
      if (place != null && learned.nodes().contains(place.node())) {
        has.merge(place.node(), weights[g], Double::sum);
      }
    }
    int best = learned.nodes().getFirst(); // the same for all that are new
    for (Map.Entry<Integer, Double> node : has.entrySet()) {
      best = node.getValue() > has.getOrDefault(best, 0.0) ? node.getKey() : best;
    }
    return best;
  }
}
