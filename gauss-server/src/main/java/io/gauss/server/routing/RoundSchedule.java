package io.gauss.server.routing;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Decides when a round of learning begins: when there is something new and the share of a processor
 * that learning may take allows it; and at once when the nodes for which is learned have changed
 * since the last round, so that a new one gets its share, and the share of one that is gone for
 * good goes to others.
 *
 * <p>Rounds of which nothing was published become rarer, so that learning costs next to nothing
 * where it does not help. More transfers per transaction than at such a round show that something
 * has changed: then the next one comes as soon as otherwise. Not thread-safe.
 */
final class RoundSchedule {
  /**
   * Minimum time between the beginnings of two rounds, so that a failing round is not repeated in a
   * busy loop.
   */
  static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A round is due after this time, whatever the rounds before have brought. */
  static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** Each round in vain doubles the pause, up to so many times. */
  static final int MOST_DOUBLINGS = 5;

  /** As many times the transfers of before, and so many more, are a change. */
  static final double CHANGE_TIMES = 1.2;

  static final double CHANGE_BY = 0.1;

  private List<Integer> known = List.of(); // nodes of the last round; none = there was no round
  private List<Integer> knownBefore = List.of();
  private long earliestNanos;
  private long dueNanos;
  private long dueOnChangeNanos;
  private int inVain; // rounds in a row
  private double transfersInVain = Double.NaN;

  RoundSchedule(long nowNanos) {
    earliestNanos = nowNanos;
    dueNanos = nowNanos;
    dueOnChangeNanos = nowNanos;
  }

  /**
   * Whether a round is to begin now.
   *
   * @param nodes numbers of the nodes that take transactions, ascending
   * @param samples number of samples that no round has seen
   * @param transfers per transaction, of late; NaN = not known
   */
  boolean isDue(List<Integer> nodes, int samples, double transfers, long nowNanos) {
    if (nodes.size() < 2 || nowNanos - earliestNanos < 0) {
      return false;
    }
    boolean isTime = nowNanos - (isChange(transfers) ? dueOnChangeNanos : dueNanos) >= 0;
    return isOthers(nodes) || samples > 0 && isTime;
  }

  private boolean isChange(double transfers) {
    return transfers > transfersInVain * CHANGE_TIMES + CHANGE_BY;
  }

  /**
   * A round begins, for these nodes.
   *
   * @return whether they differ from those of the last round
   */
  boolean begins(List<Integer> nodes, long nowNanos) {
    boolean isOthers = isOthers(nodes);
    knownBefore = known;
    known = nodes;
    earliestNanos = nowNanos + LEAST_NANOS;
    dueNanos = earliestNanos;
    dueOnChangeNanos = earliestNanos;
    return isOthers;
  }

  private boolean isOthers(List<Integer> nodes) {
    return !known.isEmpty() && !known.equals(nodes);
  }

  /**
   * The round is over.
   *
   * @param pauseMillis time that is to pass before the next one, for learning to keep to its share;
   *     0 = it had too few samples to do anything
   * @param isPublished whether it has brought something
   * @param transfers per transaction, of late; NaN = not known
   */
  void ends(long pauseMillis, boolean isPublished, double transfers, long nowNanos) {
    long pauseNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
    dueOnChangeNanos = nowNanos + pauseNanos;
    if (isPublished || pauseMillis == 0) {
      inVain = 0;
      transfersInVain = Double.NaN;
      dueNanos = dueOnChangeNanos;
      return;
    }
    inVain = Math.min(inVain + 1, MOST_DOUBLINGS);
    transfersInVain = transfers;
    dueNanos = nowNanos + Math.max(pauseNanos, Math.min(pauseNanos << inVain, MOST_NANOS));
  }

  /**
   * The round has failed: it was not in vain, and what it was for, other nodes than before for
   * example, is still to be done.
   *
   * @param pauseMillis time that is to pass before the next one
   */
  void fails(long pauseMillis, long nowNanos) {
    known = knownBefore;
    earliestNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
    dueNanos = earliestNanos;
    dueOnChangeNanos = earliestNanos;
  }
}
