package io.gauss.bench;

import io.gauss.bench.cost.RoleCost;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Results of several loads as a table in Markdown: the median of the rounds, and the range. */
public final class RerouteTable {
  private static final double PERCENT = 100;
  private static final String NONE = "";

  private RerouteTable() {}

  /** The table, with three rows for each load: off, on, and the change from off to on. */
  public static String of(List<RerouteResult> results) {
    StringBuilder text =
        new StringBuilder(
            "| load | `gauss.reroute` | transactions/s | p95, ms | CPU of the cluster, ms per"
                + " transaction | of compute nodes | of memory nodes | of storage nodes | messages"
                + " | page transfers | forwarded, % | failed, % |\n"
                + "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (RerouteResult result : results) {
      for (boolean reroute : new boolean[] {false, true}) {
        row(
            text,
            result.load(),
            result.turns().stream().filter(turn -> turn.reroute() == reroute).toList());
      }
      text.append("| %s | change, %% | ".formatted(result.load()))
          .append(change(result.throughputChange()))
          .append(" |  | ")
          .append(change(result.cpuChange()))
          .append(" |  |  |  |  |  |  |  |\n");
    }
    return text.toString();
  }

  private static String change(Spread change) {
    return change == null ? NONE : change.shownAsChange(1);
  }

  private static void row(StringBuilder text, String load, List<RerouteTurn> turns) {
    if (turns.isEmpty()) {
      return;
    }
    text.append("| %s | %s".formatted(load, turns.getFirst().setting()));
    cell(text, turns, 0, RerouteTurn::transactionsPerSecond);
    cell(text, turns, 2, RerouteTurn::p95Millis);
    cell(text, turns, 3, turn -> turn.cpuMillis(RoleCost.CLUSTER));
    cell(text, turns, 3, turn -> turn.cpuMillis("compute"));
    cell(text, turns, 3, turn -> turn.cpuMillis("memory"));
    cell(text, turns, 3, turn -> turn.cpuMillis("storage"));
    cell(text, turns, 2, ofCluster(RoleCost::messages));
    cell(text, turns, 3, ofCluster(RoleCost::pageTransfers));
    cell(text, turns, 1, turn -> PERCENT * ofCluster(RoleCost::forwarded).applyAsDouble(turn));
    cell(text, turns, 2, turn -> PERCENT * turn.failures());
    text.append(" |\n");
  }

  private static ToDoubleFunction<RerouteTurn> ofCluster(Function<RoleCost, Double> figure) {
    return turn -> RerouteTurn.orNan(figure.apply(turn.cost(RoleCost.CLUSTER)));
  }

  private static void cell(
      StringBuilder text,
      List<RerouteTurn> turns,
      int decimals,
      ToDoubleFunction<RerouteTurn> figure) {
    Optional<Spread> spread = Spread.of(turns.stream().mapToDouble(figure));
    text.append(" | ").append(spread.map(known -> known.shown(decimals)).orElse(NONE));
  }
}
