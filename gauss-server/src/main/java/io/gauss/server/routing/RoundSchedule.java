package io.gauss.server.routing;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * When a round of learning begins: when there is something new and the share of a processor that
 * learning may take allows it; and at once when there are other nodes than the last round knew, so
 * that a new one gets its share, and the share of one that is gone gets nodes. Not thread-safe.
 */
final class RoundSchedule {
  /** From the beginning of a round to that of the next, at least; so a failing one is not hot. */
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
   * @param nodes numbers of those that take transactions, ascending
   * @param samples that no round has seen
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
   * @return whether they are others than those of the last round
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

  /** It is over, and so many ms are to pass before the next one. */
  void ends(long pauseMillis, long nowNanos) {
    dueNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
  }
}
