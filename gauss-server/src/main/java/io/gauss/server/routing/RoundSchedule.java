package io.gauss.server.routing;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Decides when a round of learning begins: when there is something new and the share of a processor
 * that learning may take allows it; and at once when the nodes have changed since the last round,
 * so that a new one gets its share, and the share of one that is gone goes to others. Not
 * thread-safe.
 */
final class RoundSchedule {
  /**
   * Minimum time between the beginnings of two rounds, so that a failing round is not repeated in a
   * busy loop.
   */
  static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(2);

  private List<Integer> known = List.of(); // nodes of the last round; none = there was no round
  private long earliestNanos;
  private long dueNanos;

  RoundSchedule(long nowNanos) {
    earliestNanos = nowNanos;
    dueNanos = nowNanos;
  }

  /**
   * Whether a round is to begin now.
   *
   * @param nodes numbers of the nodes that take transactions, ascending
   * @param samples number of samples that no round has seen
   */
  boolean isDue(List<Integer> nodes, int samples, long nowNanos) {
    if (nodes.size() < 2 || nowNanos - earliestNanos < 0) {
      return false;
    }
    return isOthers(nodes) || samples > 0 && nowNanos - dueNanos >= 0;
  }

  /**
   * A round begins, for these nodes.
   *
   * @return whether they differ from those of the last round
   */
  boolean begins(List<Integer> nodes, long nowNanos) {
    boolean isOthers = isOthers(nodes);
    known = nodes;
    earliestNanos = nowNanos + LEAST_NANOS;
    dueNanos = earliestNanos;
    return isOthers;
  }

  private boolean isOthers(List<Integer> nodes) {
    return !known.isEmpty() && !known.equals(nodes);
  }

  /** The round is over, and this many ms are to pass before the next one. */
  void ends(long pauseMillis, long nowNanos) {
    dueNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
  }
}
