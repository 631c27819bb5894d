package io.gauss.server.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One fault and what came of it.
 *
 * @param what the fault in words
 * @param transactions that were acknowledged, from the fault until all nodes were back
 * @param lost acknowledged changes that are not there
 * @param anomalies that were found
 * @param told what clients got: SQLSTATEs with their numbers
 */
record Round(
    FaultKind kind,
    String what,
    long transactions,
    int lost,
    List<String> anomalies,
    Times times,
    Map<String, Integer> told) {
  static final String HEADER =
      "| fault | transactions | lost | anomalies | longest gap | bound | back after | bound |"
          + " slowest transaction | what clients saw |\n|---|---|---|---|---|---|---|---|---|---|";

  /**
   * How long it took.
   *
   * @param gapMillis the longest time without a commit of a compute node that nothing happened to;
   *     -1 when there was no such node
   * @param backMillis from the fault's end until all compute nodes had committed
   * @param slowestMillis the longest transaction
   */
  record Times(long gapMillis, long backMillis, long slowestMillis) {}

  /** What took longer than the kind's bounds. */
  List<String> overBounds() {
    List<String> over = new ArrayList<>();
    if (times.gapMillis() > kind.gapSeconds() * 1_000L) {
      over.add(
          "%s: a node that nothing happened to was without a commit for %d ms, %d s allowed"
              .formatted(kind.label(), times.gapMillis(), kind.gapSeconds()));
    }
    if (times.backMillis() > kind.backSeconds() * 1_000L) {
      over.add(
          "%s: a node has committed nothing until %d ms after the fault, %d s allowed"
              .formatted(kind.label(), times.backMillis(), kind.backSeconds()));
    }
    return over;
  }

  /** A row of a table. */
  String row() {
    String seen =
        told.entrySet().stream()
            .map(each -> each.getKey() + " × " + each.getValue())
            .collect(Collectors.joining(", "));
    return "| %s (%s) | %d | %d | %d | %s | %d s | %s | %d s | %s | %s |"
        .formatted(
            kind.label(),
            what,
            transactions,
            lost,
            anomalies.size(),
            times.gapMillis() < 0 ? "-" : seconds(times.gapMillis()),
            kind.gapSeconds(),
            seconds(times.backMillis()),
            kind.backSeconds(),
            seconds(times.slowestMillis()),
            seen.isEmpty() ? "nothing" : seen);
  }

  private static String seconds(long millis) {
    return "%.1f s".formatted(millis / 1e3);
  }
}
