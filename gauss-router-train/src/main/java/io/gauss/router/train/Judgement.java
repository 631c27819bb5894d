package io.gauss.router.train;

import java.util.List;

/**
 * Decides whether what was learned is worth publishing, since drivers load it, transactions go
 * elsewhere and pages follow; and whether what was published has to go again. Both by samples that
 * came later than those that it was learned from. Not thread-safe.
 */
final class Judgement {
  /** The share of transfers that must be saved. */
  private static final double WORTH = 0.01;

  /** And so many times the standard error of what is saved: it is no chance. */
  private static final double SURE = 2;

  /** Or by so much a node's load above the mean must become less. */
  private static final double RELIEF = 0.05;

  /** So many times the transfers of before, and {@link #MORE}, are worse for certain. */
  private static final double WORSE = 1.2;

  private static final double MORE = 0.1;

  /** Samples by which it is judged at least. */
  private static final int LEAST = 500;

  /** Rounds after which it is not waited any longer for so many samples. */
  private static final int SETTLED = 3;

  /** Rounds after which a publication is one that stays. */
  private static final int LASTING = 8;

  /** Each time that it goes back, it waits for twice as many rounds, at most 2 to this. */
  private static final int MOST_BACKS = 6;

  private Learned before; // what was published before the present one; null = cannot go back
  private double measuredBefore; // transfers per transaction when that was published
  private double measured = Double.NaN; // since the last publication, without its first round
  private int rounds; // since the last publication

  /** The last publication went back to what was before, and nothing was published since. */
  private boolean wentBack;

  /** How often it went back lately, since what was expected of publications was wrong. */
  private int backs;

  /** Takes the samples of a round that came since the last one. */
  void measure(List<TransactionSample> fresh) {
    rounds++;
    if (rounds > 1 && fresh.size() >= LEAST) {
      // In the first one drivers followed, and pages moved.
      measured = perTransaction(fresh);
    }
  }

  private static double perTransaction(List<TransactionSample> samples) {
    double transfers = 0;
    double all = 0;
    for (TransactionSample s : samples) {
      transfers += s.weight() * s.transfers();
      all += s.weight();
    }
    return transfers / all;
  }

  /**
   * Whether the candidate is worth it.
   *
   * @param present what is published; null = nothing
   * @param later samples that neither was learned from
   * @param groups that are in use
   * @param weights of the groups
   */
  static boolean isWorth(
      Learned candidate,
      Learned present,
      List<TransactionSample> later,
      long[] groups,
      float[] weights) {
    if (present == null || !present.nodes().equals(candidate.nodes()) || later.isEmpty()) {
      return true;
    }
    return savesTransfers(candidate, present, later)
        || candidate.imbalance(groups, weights) < present.imbalance(groups, weights) - RELIEF;
  }

  private static boolean savesTransfers(
      Learned candidate, Learned present, List<TransactionSample> later) {
    double[] before = present.away(later);
    double[] after = candidate.away(later);
    double[] touched = later.stream().mapToDouble(s -> s.weight() * Away.touched(s)).toArray();
    double saved = 0;
    double all = 0;
    for (int i = 0; i < touched.length; i++) {
      saved += before[i] - after[i];
      all += touched[i];
    }
    double share = all == 0 ? 0 : saved / all;
    double squares = 0;
    for (int i = 0; i < touched.length; i++) {
      double deviation = before[i] - after[i] - share * touched[i];
      squares += deviation * deviation;
    }
    return share > WORTH && saved > SURE * Math.sqrt(squares);
  }

  /**
   * What is to be published again, since transfers have become more with the present publication,
   * and fewer are to be expected with the one before; null = nothing.
   *
   * @param nodes that there are now: when one has come or gone, both are of those before, and
   *     transfers have become more for that
   */
  Learned better(Learned present, List<TransactionSample> later, List<Integer> nodes) {
    boolean isWorse = measured > measuredBefore * WORSE + MORE; // never with NaN
    return before != null
            && isWorse
            && before.nodes().equals(present.nodes())
            && present.nodes().equals(nodes)
            && before.transfers(later) < present.transfers(later)
        ? before
        : null;
  }

  /**
   * Whether something else may be published. After it went back, only when it is known how many
   * transfers there are then: or the same would be tried again at once, without a way back. If that
   * happens again and again, the same is tried more and more seldom.
   */
  boolean isSettled() {
    return !wentBack || rounds >= 1 << backs && (!Double.isNaN(measured) || rounds > SETTLED);
  }

  /** This was published instead of the present one, for which there is a way back. */
  void published(Learned present) {
    if (!wentBack && rounds > LASTING) {
      backs = 0;
    }
    before = Double.isNaN(measured) ? null : present;
    measuredBefore = measured;
    measured = Double.NaN;
    rounds = 0;
    wentBack = false;
  }

  /** Back to what was before, from which there is no way back. */
  void wentBack() {
    int again = Math.min(backs + 1, MOST_BACKS);
    forget();
    wentBack = true;
    backs = again;
  }

  /** Nothing is known any more. */
  void forget() {
    before = null;
    measured = Double.NaN;
    rounds = 0;
    wentBack = false;
    backs = 0;
  }
}
