package io.gauss.router.train;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * For which templates the owner of the key in the first statement tells better where transactions
 * belong than what was learned of the statement. Mostly what was learned is better, since it knows
 * what transactions touch besides; but of keys in no order that nobody has seen it knows nothing.
 */
final class OwnerJudgement {
  /** Samples of a template by which it is judged at least. */
  private static final int LEAST = 20;

  /** The share of what its transactions touch that must be saved. */
  private static final double WORTH = 0.02;

  /** What a template's transactions would have to get from other nodes. */
  private static final class Sums {
    private int samples;
    private double all;
    private double byOwner;
    private double learned;
  }

  private OwnerJudgement() {}

  /**
   * @param later samples that nothing was learned from
   * @param places of page groups
   * @param learned node by sample, by what was learned; 0 = not known
   * @return ids of templates
   */
  static Set<Long> of(
      List<TransactionSample> later,
      Map<Long, GroupPlace> places,
      List<Integer> nodes,
      ToIntFunction<TransactionSample> learned) {
    double[] byLearned = Away.of(later, learned, places, nodes);
    double[] byOwner =
        Away.of(
            later,
            s -> {
              GroupPlace owner = owner(s, places);
              return owner == null ? learned.applyAsInt(s) : owner.node();
            },
            places,
            nodes);
    Map<Long, Sums> byTemplate = new HashMap<>();
    for (int i = 0; i < byOwner.length; i++) {
      TransactionSample s = later.get(i);
      if (owner(s, places) != null) {
        Sums sums = byTemplate.computeIfAbsent(s.template().id(), t -> new Sums());
        sums.samples++;
        sums.all += s.weight() * Away.touched(s);
        sums.byOwner += s.weight() * byOwner[i];
        sums.learned += s.weight() * byLearned[i];
      }
    }
    Set<Long> better = new HashSet<>();
    byTemplate.forEach(
        (template, sums) -> {
          if (sums.samples >= LEAST && sums.byOwner < sums.learned - WORTH * sums.all) {
            better.add(template);
          }
        });
    return better;
  }

  /** Where the rows of its key are; null = nobody knows. */
  private static GroupPlace owner(TransactionSample s, Map<Long, GroupPlace> places) {
    return s.keyGroup() == 0 ? null : places.get(s.keyGroup());
  }
}
