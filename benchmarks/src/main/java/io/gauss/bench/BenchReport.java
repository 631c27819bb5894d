package io.gauss.bench;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/** A result as text for users. */
public final class BenchReport {
  private BenchReport() {}

  /** Prints it. */
  public static void print(BenchResult result, PrintWriter out) {
    out.printf("%s on %s%n", result.workload(), result.server());
    out.printf(
        "  %.1f transactions/s in %.1f s with %d terminals%n",
        result.transactionsPerSecond(), result.seconds(), result.terminals());
    if (result.newOrdersPerMinute() > 0) {
      out.printf("  %.0f new orders/min%n", result.newOrdersPerMinute());
    }
    if (result.serverCpuMillisPerTransaction() != null) {
      out.printf(
          "  server CPU %.1f s, %.1f µs per transaction%n",
          result.serverCpuSeconds(), result.serverCpuMillisPerTransaction() * 1000);
    }
    if (!result.costs().isEmpty()) {
      CostTable.print(result.costs(), out);
    }
    out.printf(
        "  %-16s %10s %8s %9s %9s %9s %9s%n",
        "kind", "count", "failed", "p50 ms", "p95 ms", "p99 ms", "max ms");
    result.latencyMs().forEach((kind, latency) -> line(kind, latency, out));
    if (result.nodes().size() > 1) {
      nodes(result.nodes(), result.seconds(), out);
    }
    if (!result.aborts().isEmpty()) {
      out.println("  aborts by SQLSTATE: " + result.aborts());
    }
    if (result.violations().isEmpty()) {
      out.println("  consistency conditions hold");
    } else {
      result.violations().forEach(v -> out.println("  VIOLATED: " + v));
    }
    out.flush();
  }

  private static void line(String name, Map<String, Double> latency, PrintWriter out) {
    out.printf(
        "  %-16s %10.0f %8.0f %9.2f %9.2f %9.2f %9.2f%n",
        name,
        latency.get("count"),
        latency.get("failures"),
        latency.get("p50"),
        latency.get("p95"),
        latency.get("p99"),
        latency.get("max"));
  }

  private static void nodes(List<BenchResult.Node> nodes, double seconds, PrintWriter out) {
    for (int i = 0; i < nodes.size(); i++) {
      line("node " + (i + 1), nodes.get(i).latencyMs(), out);
    }
    for (int i = 0; i < nodes.size(); i++) {
      BenchResult.Node node = nodes.get(i);
      out.printf("  node %d: %.1f transactions/s", i + 1, node.transactionsPerSecond());
      if (node.serverCpuSeconds() != null) {
        out.printf(", %.2f processors", node.serverCpuSeconds() / seconds);
      }
      if (!node.aborts().isEmpty()) {
        out.print(", aborts " + node.aborts());
      }
      out.println();
    }
  }
}
