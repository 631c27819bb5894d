package io.gauss.bench.model;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * What the model says about a load on a cluster.
 *
 * @param responseMs mean time of a transaction
 * @param cpuMs processor time of each role per transaction, with what nodes do in the background
 * @param clientMs that of the clients
 * @param counts operations per transaction
 * @param messages between nodes, per transaction
 * @param stations where a transaction spends its time
 */
record Prediction(
    double transactionsPerSecond,
    double responseMs,
    Map<Tier, Double> cpuMs,
    double clientMs,
    Counts counts,
    double messages,
    List<Station> stations) {

  double clusterMs() {
    return cpuMs.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** What is busiest. */
  Station bottleneck() {
    return stations.stream()
        .max(Comparator.comparingDouble(station -> station.utilisation(transactionsPerSecond)))
        .orElseThrow();
  }
}
