package io.gauss.bench.model;

import java.util.ArrayList;
import java.util.List;

/**
 * What halving each of the parameters does to the throughput of a load on a cluster; and what it
 * does to let commits wait for others.
 */
final class Sensitivity {
  private static final double HALF = 0.5;
  private static final double PACE_MS = 5;

  /**
   * One parameter.
   *
   * @param gain throughput with it halved, divided by that without
   */
  record Effect(String parameter, double gain) {}

  private Sensitivity() {}

  static List<Effect> of(Calibration calibration, Load load, Cluster cluster) {
    double now = throughput(calibration, load, cluster);
    List<Effect> effects = new ArrayList<>();
    for (Operation operation : Operation.values()) {
      if (operation != Operation.PAGE_READ) {
        effects.add(
            new Effect(
                "CPU of " + operation.title(),
                throughput(calibration.with(operation, ms -> HALF * ms), load, cluster) / now));
      }
    }
    effects.add(
        new Effect(
            "a transaction's own CPU",
            throughput(
                    calibration.withOwn(
                        own ->
                            new Calibration.OwnCosts(
                                HALF * own.computeMs(), own.clientMs(), own.transferFactor())),
                    load,
                    cluster)
                / now));
    effects.add(
        new Effect(
            "transfers of a transaction",
            throughput(
                    calibration.withOwn(
                        own ->
                            new Calibration.OwnCosts(
                                own.computeMs(), own.clientMs(), HALF * own.transferFactor())),
                    load,
                    cluster)
                / now));
    Cluster.Network network = cluster.network();
    effects.add(
        new Effect(
            "latency of the network",
            throughput(
                    calibration,
                    load,
                    cluster.withNetwork(network.withOneWay(HALF * network.oneWayMs())))
                / now));
    effects.add(
        new Effect(
            "a force to disk",
            throughput(
                    calibration,
                    load,
                    cluster.withNetwork(network.withForce(HALF * network.forceMs())))
                / now));
    effects.add(
        new Effect(
            "(appends of a node at least 5 ms apart)",
            throughput(calibration, load, cluster.withNetwork(network.withPace(PACE_MS))) / now));
    return effects;
  }

  private static double throughput(Calibration calibration, Load load, Cluster cluster) {
    return ClusterModel.predict(calibration, load, cluster).transactionsPerSecond();
  }
}
