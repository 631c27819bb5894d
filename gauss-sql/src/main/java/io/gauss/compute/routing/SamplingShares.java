package io.gauss.compute.routing;

import io.gauss.common.runtime.InOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Divides a node's samples among its roles: each has as many as the others, but not more than it
 * has transactions; what it leaves is for those that have more. So a role with very many
 * transactions does not keep others from being learned from. A role's samples are such a share of
 * its transactions that the wanted number a second results at the load of the second before, and at
 * most twice that number while the load rises.
 *
 * <p>Not thread-safe, but for the {@linkplain SamplingRate rates}.
 */
final class SamplingShares {
  private static final double NANOS_PER_SECOND = 1e9;

  private final int perSecond;
  private final AtomicInteger spare;
  private final Map<Integer, SamplingRate> rates = new HashMap<>();
  private Map<Integer, Long> last = Map.of(); // transactions by role
  private long lastNanos;
  private double interval = 1;

  /**
   * @param perSecond samples wanted; 0 = none
   */
  SamplingShares(int perSecond, long nowNanos) {
    this.perSecond = perSecond;
    this.spare = new AtomicInteger(2 * perSecond);
    this.lastNanos = nowNanos;
  }

  /** A role's rate; a new role's samples are those that others leave. */
  SamplingRate of(int role) {
    return rates.computeIfAbsent(role, r -> new SamplingRate(perSecond == 0, spare));
  }

  /** The roles that have a rate. */
  Set<Integer> roles() {
    return rates.keySet();
  }

  /** Mean number of all roles' transactions from one sample to the next, at least 1. */
  double interval() {
    return perSecond == 0 ? Double.MAX_VALUE : interval;
  }

  /**
   * Adapts the shares to the load; runs about once a second. Roles that are not there and had no
   * transactions are forgotten.
   *
   * @param transactions by role, so far
   * @param present roles that have sessions
   */
  void adapt(Map<Integer, Long> transactions, Set<Integer> present, long nowNanos) {
    double seconds = (nowNanos - lastNanos) / NANOS_PER_SECOND;
    if (seconds <= 0) {
      return;
    }
    Map<Integer, Double> loads = new HashMap<>();
    transactions.forEach(
        (role, count) ->
            loads.put(role, Math.max(0, count - last.getOrDefault(role, 0L)) / seconds));
    last = InOrder.copyOf(transactions);
    lastNanos = nowNanos;
    rates
        .keySet()
        .removeIf(role -> !present.contains(role) && !(loads.getOrDefault(role, 0.0) > 0));
    double level = level(loads.values().stream().mapToDouble(load -> load).toArray(), perSecond);
    double all = 0;
    double sampled = 0;
    int left = 2 * perSecond;
    for (Map.Entry<Integer, Double> load : loads.entrySet()) {
      double share = Math.min(load.getValue(), level);
      all += load.getValue();
      sampled += share;
      SamplingRate rate = rates.get(load.getKey());
      if (rate != null) {
        int own = Math.min(left, (int) (2 * share));
        left -= own;
        rate.set(own, share > 0 ? load.getValue() / share : 1);
      }
    }
    spare.set(left);
    interval = sampled > 0 ? all / sampled : 1;
  }

  /** What each may have at most, so that all together have no more than there is. */
  static double level(double[] claims, double room) {
    double[] ascending = claims.clone();
    Arrays.sort(ascending);
    double left = room;
    for (int i = 0; i < ascending.length; i++) {
      double even = left / (ascending.length - i);
      if (ascending[i] > even) {
        return even;
      }
      left -= ascending[i];
    }
    return Double.MAX_VALUE;
  }
}
