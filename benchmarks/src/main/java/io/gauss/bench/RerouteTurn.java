package io.gauss.bench;

import io.gauss.bench.cost.RoleCost;
import java.util.List;

/**
 * What was measured with one setting in one round.
 *
 * @param round from 1 on
 * @param reroute whether transactions could be forwarded
 * @param transactionsPerSecond committed transactions per second
 * @param p95Millis 95th percentile of their latencies, ms, including rollbacks and repeats
 * @param failures attempts that were rolled back, per committed transaction
 * @param costs as in {@link BenchResult#costs}
 */
record RerouteTurn(
    int round,
    boolean reroute,
    double transactionsPerSecond,
    double p95Millis,
    double failures,
    List<RoleCost> costs) {

  /** The setting's value. */
  String setting() {
    return reroute ? "on" : "off";
  }

  /** What a role costs; nothing is known of one that is not there. */
  RoleCost cost(String role) {
    return costs.stream()
        .filter(cost -> cost.role().equals(role))
        .findFirst()
        .orElse(RoleCost.unknown(role));
  }

  /** Processor time of a role with its children, ms per transaction; NaN when unknown. */
  double cpuMillis(String role) {
    return orNan(cost(role).allCpuMillis());
  }

  static double orNan(Double figure) {
    return figure == null ? Double.NaN : figure;
  }
}
