package io.gauss.bench;

import io.gauss.bench.cost.RoleCost;
import java.util.List;
import java.util.Map;

/**
 * Outcome of a run; what {@code --json} writes.
 *
 * @param urls of the nodes that were used
 * @param newOrdersPerMinute for TPC-C, else 0
 * @param latencyMs by kind: count, failures, and mean, p50, p95, p99, max in milliseconds
 * @param aborts failed attempts by SQLSTATE
 * @param nodes the same for each node alone, in the order of the URLs
 * @param serverCpuSeconds CPU of the servers that were connected to during the measured time, null
 *     when unknown
 * @param serverCpuMillisPerTransaction null when unknown
 * @param costs per transaction of each role of the cluster, of the whole cluster, and of this
 *     process; none when the server is not Gauss, or none of its nodes is to be seen
 * @param violations consistency conditions that do not hold
 */
public record BenchResult(
    String workload,
    List<String> urls,
    String server,
    int terminals,
    double seconds,
    long transactions,
    double transactionsPerSecond,
    double newOrdersPerMinute,
    Map<String, Map<String, Double>> latencyMs,
    Map<String, Long> aborts,
    List<Node> nodes,
    Double serverCpuSeconds,
    Double serverCpuMillisPerTransaction,
    List<RoleCost> costs,
    List<String> violations,
    Map<String, Object> settings) {

  /**
   * The results of one node.
   *
   * @param latencyMs of all kinds together: count, failures, and mean, p50, p95, p99, max in
   *     milliseconds
   * @param aborts failed attempts by SQLSTATE
   * @param serverCpuSeconds null when unknown
   */
  record Node(
      String url,
      double transactionsPerSecond,
      Map<String, Double> latencyMs,
      Map<String, Long> aborts,
      Double serverCpuSeconds) {}
}
