package io.gauss.bench.routing;

import io.gauss.bench.Spread;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Results of all rounds as a table in Markdown: the median, and the range. */
public final class RoutingTable {
  private RoutingTable() {}

  /** The table, with a row for each mode in their order. */
  public static String of(List<RoutingMode> modes, List<ModeResult> results) {
    StringBuilder text =
        new StringBuilder(
            "| mode | transfers per transaction | pages already owned, % | transactions/s | p95, ms"
                + " | busiest node, % | known, % | failed, % | CPU of compute nodes, ms per"
                + " transaction | of memory nodes | of storage nodes | of the client |\n"
                + "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (RoutingMode mode : modes) {
      List<ModeResult> of = results.stream().filter(r -> r.mode() == mode).toList();
      if (!of.isEmpty()) {
        text.append("| ").append(mode.label());
        cell(text, of, 3, ModeResult::transfersPerTransaction);
        cell(text, of, 1, r -> 100 * r.ownedShare());
        cell(text, of, 0, ModeResult::transactionsPerSecond);
        cell(text, of, 1, ModeResult::p95Millis);
        cell(text, of, 0, r -> mode == RoutingMode.PGJDBC ? Double.NaN : 100 * r.busiest());
        if (mode.isLearned()) {
          cell(text, of, 1, r -> 100 * r.known());
        } else {
          text.append(" | ");
        }
        cell(text, of, 2, r -> 100 * r.failures());
        cell(text, of, 2, r -> r.cpuMillis().compute());
        cell(text, of, 2, r -> r.cpuMillis().memory());
        cell(text, of, 2, r -> r.cpuMillis().storage());
        cell(text, of, 2, r -> r.cpuMillis().client());
        text.append(" |\n");
      }
    }
    return text.toString();
  }

  private static void cell(
      StringBuilder text,
      List<ModeResult> results,
      int decimals,
      ToDoubleFunction<ModeResult> figure) {
    text.append(" | ")
        .append(
            Spread.of(results.stream().mapToDouble(figure))
                .map(spread -> spread.shown(decimals))
                .orElse(""));
  }
}
