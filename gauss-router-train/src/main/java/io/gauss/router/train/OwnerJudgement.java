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
  private static final class Away {
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
    Map<Long, Away> byTemplate = new HashMap<>();
    for (TransactionSample s : later) {
      GroupPlace owner = s.keyGroup() == 0 ? null : places.get(s.keyGroup());
      if (owner != null) {
        Away away = byTemplate.computeIfAbsent(s.template().id(), t -> new Away());
        away.samples++;
        away.all += s.weight() * Learned.touched(s);
        away.byOwner += s.weight() * Learned.away(s, owner.node(), places, nodes);
        away.learned += s.weight() * Learned.away(s, learned.applyAsInt(s), places, nodes);
      }
    }
    Set<Long> better = new HashSet<>();
    byTemplate.forEach(
        (template, away) -> {
          if (away.samples >= LEAST && away.byOwner < away.learned - WORTH * away.all) {
            better.add(template);
          }
        });
    return better;
  }
}
