package io.gauss.bench;

import io.gauss.bench.cost.RoleCost;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** What a transaction costs each role of a cluster, as text for users. */
final class CostTable {
  private static final String ROW = "  %-19s %5s %10s %9s %10s %14s %15s %16s%n";
  private static final int MICROS = 1000;

  private CostTable() {}

  static void print(List<RoleCost> costs, PrintWriter out) {
    out.printf(
        ROW,
        "per transaction",
        "nodes",
        "CPU µs",
        "messages",
        "log forces",
        "page transfers",
        "thread switches",
        "reads and writes");
    for (RoleCost cost : costs) {
      boolean isClient = cost.role().equals(RoleCost.CLIENT);
      out.printf(
          ROW,
          cost.role(),
          isClient ? "" : cost.nodes(),
          shown(micros(cost.cpuMillis()), 1),
          isClient ? "" : shown(cost.messages(), 2),
          isClient ? "" : shown(cost.logForces(), 3),
          isClient ? "" : shown(cost.pageTransfers(), 3),
          shown(cost.threadSwitches(), 2),
          shown(cost.readsAndWrites(), 2));
      if (!isClient && cost.childrenCpuMillis() != null && cost.childrenCpuMillis() > 0) {
        out.printf(
            ROW,
            cost.role() + ", children",
            "",
            shown(micros(cost.childrenCpuMillis()), 1),
            "",
            "",
            "",
            "",
            "");
      }
    }
  }

  private static Double micros(Double millis) {
    return millis == null ? null : millis * MICROS;
  }

  private static String shown(Double figure, int decimals) {
    return figure == null ? "-" : String.format(Locale.ROOT, "%." + decimals + "f", figure);
  }
}
