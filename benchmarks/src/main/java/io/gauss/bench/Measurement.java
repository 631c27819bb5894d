package io.gauss.bench;

import io.gauss.bench.cost.ClusterWatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * The counts of the measured time.
 *
 * @param seconds its length
 * @param nodes counts of each node, all terminals together
 * @param cpu of the servers in that time
 * @param cluster what its nodes used in that time; empty when the server is not Gauss
 */
record Measurement(
    double seconds, List<NodeTally> nodes, CpuUse cpu, Optional<ClusterWatch> cluster) {

  BenchResult result(
      Workload workload, BenchOptions options, String server, List<String> violations) {
    NodeTally all = new NodeTally(workload.kinds().size());
    nodes.forEach(all::add);
    Map<String, Map<String, Double>> latency = new LinkedHashMap<>();
    long newOrders = 0;
    for (int k = 0; k < workload.kinds().size(); k++) {
      String kind = workload.kinds().get(k);
      latency.put(kind, percentiles(all.kind(k)));
      if (kind.equals("new_order")) {
        newOrders = all.kind(k).latencyUs.getTotalCount();
      }
    }
    latency.put("all", percentiles(all.allKinds()));
    long transactions = all.allKinds().latencyUs.getTotalCount();
    Double cpuSeconds = cpu.total();
    return new BenchResult(
        workload.name(),
        options.urls(),
        server,
        options.terminals(),
        seconds,
        transactions,
        transactions / seconds,
        newOrders * 60 / seconds,
        latency,
        all.aborts(),
        perNode(options.urls()),
        cpuSeconds,
        cpuSeconds == null || transactions == 0 ? null : cpuSeconds * 1000 / transactions,
        cluster.map(watch -> watch.costs(transactions / seconds)).orElse(List.of()),
        violations,
        options.settings());
  }

  private List<BenchResult.Node> perNode(List<String> urls) {
    List<BenchResult.Node> results = new ArrayList<>();
    for (int node = 0; node < nodes.size(); node++) {
      NodeTally tally = nodes.get(node);
      KindStatistics kinds = tally.allKinds();
      results.add(
          new BenchResult.Node(
              urls.get(node),
              kinds.latencyUs.getTotalCount() / seconds,
              percentiles(kinds),
              tally.aborts(),
              cpu.seconds(node)));
    }
    return results;
  }

  private static Map<String, Double> percentiles(KindStatistics kind) {
    Histogram h = kind.latencyUs;
    Map<String, Double> values = new LinkedHashMap<>();
    values.put("count", (double) h.getTotalCount());
    values.put("failures", (double) kind.failures);
    values.put("mean", h.getMean() / 1000);
    values.put("p50", h.getValueAtPercentile(50) / 1000.0);
    values.put("p95", h.getValueAtPercentile(95) / 1000.0);
    values.put("p99", h.getValueAtPercentile(99) / 1000.0);
    values.put("max", h.getMaxValue() / 1000.0);
    return values;
  }
}
