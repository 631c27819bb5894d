package io.gauss.bench.routing;

import org.HdrHistogram.Histogram;

/**
 * The results of one mode in one round.
 *
 * @param transfersPerTransaction pages that came from other nodes, as the servers count; NaN when
 *     nothing ran
 * @param ownedShare share of the wanted pages that were there; NaN when nothing ran
 * @param transactionsPerSecond committed transactions per second
 * @param p95Millis 95th percentile of their latencies, ms, including rollbacks and retries
 * @param known share of them for whose first statement the router knew the node
 * @param busiest share of the node that committed most of them: a mode that uses only one node has
 *     no transfers either
 * @param failures per committed transaction
 * @param cpuMillis processor time per committed transaction
 * @param settled seconds that passed before measuring
 */
public record ModeResult(
    RoutingMode mode,
    double transfersPerTransaction,
    double ownedShare,
    double transactionsPerSecond,
    double p95Millis,
    double known,
    double busiest,
    double failures,
    RoleCpu cpuMillis,
    double settled) {

  static ModeResult of(
      RoutingMode mode,
      TransferCounts counts,
      RoleCpu cpu,
      RoutedClient.Tally tally,
      double seconds,
      double settled) {
    Histogram latency = tally.latencyUs;
    double transactions = latency.getTotalCount();
    return new ModeResult(
        mode,
        counts.perTransaction(),
        counts.ownedShare(),
        transactions / seconds,
        latency.getValueAtPercentile(95) / 1000.0,
        tally.known / transactions,
        tally.units.busiestShare(),
        tally.failures / transactions,
        cpu.perTransaction(transactions),
        settled);
  }
}
