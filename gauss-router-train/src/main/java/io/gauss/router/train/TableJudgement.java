package io.gauss.router.train;

import io.gauss.jdbc.routing.model.RoutingTable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * For which templates the model, its network and the values that it looks up, loses against the
 * table, which is simpler: where its transactions would have to get more from other nodes, by more
 * than chance explains. Templates with few samples are judged together, so that of many templates
 * that are all rare none goes without a judgement.
 */
final class TableJudgement {
  /** Samples of a template by which it is judged on its own. */
  private static final int LEAST = 20;

  /** So many standard errors of the mean difference are more than chance. */
  private static final double ERRORS = 2;

  /** The samples of which the table has an answer: what it saves of each, against the model. */
  private static final class Saved {
    private int samples;
    private double sum;
    private double squares;

    void add(double saved) {
      samples++;
      sum += saved;
      squares += saved * saved;
    }

    void add(Saved other) {
      samples += other.samples;
      sum += other.sum;
      squares += other.squares;
    }

    boolean isMoreThanChance() {
      if (samples < LEAST) {
        return false;
      }
      double mean = sum / samples;
      double variance = Math.max(0, squares / samples - mean * mean);
      return mean > ERRORS * Math.sqrt(variance / samples);
    }
  }

  private TableJudgement() {}

  /**
   * @param later samples that nothing was learned from
   * @param places of page groups
   * @param byModel node by sample, by the model; 0 = not known
   * @return ids of templates, all of which the table has
   */
  static Set<Long> of(
      List<TransactionSample> later,
      Map<Long, GroupPlace> places,
      List<Integer> nodes,
      ToIntFunction<TransactionSample> byModel,
      RoutingTable table) {
    ToIntFunction<TransactionSample> byTable = s -> table.node(s.template().id(), s.values());
    double[] without = Away.of(later, byModel, places, nodes);
    double[] with =
        Away.of(
            later,
            s -> byTable.applyAsInt(s) == 0 ? byModel.applyAsInt(s) : byTable.applyAsInt(s),
            places,
            nodes);
    Map<Long, Saved> byTemplate = new HashMap<>();
    for (int i = 0; i < with.length; i++) {
      TransactionSample s = later.get(i);
      if (byTable.applyAsInt(s) != 0) {
        byTemplate
            .computeIfAbsent(s.template().id(), t -> new Saved())
            .add(s.weight() * (without[i] - with[i]));
      }
    }
    Saved rare = new Saved();
    byTemplate.values().stream().filter(of -> of.samples < LEAST).forEach(rare::add);
    Set<Long> better = new HashSet<>();
    for (RoutingTable.Entry entry : table.entries()) {
      Saved own = byTemplate.get(entry.template());
      if ((own == null || own.samples < LEAST ? rare : own).isMoreThanChance()) {
        better.add(entry.template());
      }
    }
    return better;
  }
}
