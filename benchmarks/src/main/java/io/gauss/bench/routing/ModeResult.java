package io.gauss.bench.routing;

import org.HdrHistogram.Histogram;

/**
 * What one mode came to in one round.
 *
 * @param transfersPerTransaction pages that came from other nodes, as the servers count; NaN when
 *     nothing ran
 * @param ownedShare of the pages that were wanted, those that were there; NaN when nothing ran
 * @param transactionsPerSecond that were committed
 * @param p95Millis of their latencies, ms; what was rolled back and tried again is in it
 * @param known share of them of whose first statement the router knew where it belongs
 * @param busiest share of the node that committed most of them: without transfers is also who uses
 *     one node only
 * @param failures per committed transaction
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
    double settled) {

  static ModeResult of(
      RoutingMode mode,
      TransferCounts counts,
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
        settled);
  }
}
