package io.gauss.bench.model;

/** Measured runs as the model sees them: all processes share one machine. */
final class MeasuredCluster {
  private MeasuredCluster() {}

  /** What the transactions do. */
  static Load load(MeasuredRun run) {
    Load load = Loads.measured(run.load());
    if (run.warehouses() > 0) {
      double remote = Loads.TPCC_REMOTE * elsewhere(run.warehouses(), run.computeNodes());
      load = Loads.tpcc(remote).withHot(Loads.tpccRows(run.warehouses()));
    }
    return run.sprayed() ? load.spreadOut() : load;
  }

  /** Share of the other warehouses that are on other nodes, when they are dealt in turn. */
  static double elsewhere(int warehouses, int nodes) {
    double pairs = 0;
    for (int a = 0; a < warehouses; a++) {
      for (int b = 0; b < warehouses; b++) {
        pairs += a % nodes == b % nodes ? 0 : 1;
      }
    }
    return warehouses == 1 ? 0 : pairs / (warehouses * (warehouses - 1.0));
  }

  static Cluster cluster(MeasuredRun run, double processors) {
    return new Cluster(
        run.computeNodes(),
        run.nodes().get(Tier.MEMORY),
        run.nodes().get(Tier.STORAGE),
        processors,
        true,
        run.clients(),
        0,
        Cluster.Network.LOOPBACK);
  }

  /** The model of the run; what is astray and comes from page stores is as measured. */
  static ClusterModel model(Calibration calibration, MeasuredRun run, double processors) {
    return new ClusterModel(
        calibration,
        load(run),
        cluster(run, processors),
        Math.min(1, run.forwarded()),
        run.pageReads());
  }
}
