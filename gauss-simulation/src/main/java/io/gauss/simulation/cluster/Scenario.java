package io.gauss.simulation.cluster;

import io.gauss.simulation.cluster.SimulatedCluster.Size;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What a run is made of: its cluster, what its clients do and what goes wrong meanwhile.
 *
 * @param settings of compute nodes, where they differ from the defaults
 * @param clients of the {@link Clients}
 * @param transactions of each client
 * @param workloads that run beside them; made anew for each run
 */
record Scenario(
    Size size,
    Map<String, String> settings,
    FaultPlan plan,
    int clients,
    int transactions,
    Supplier<List<Workload>> workloads) {
  private static final int CLIENTS = 3;
  private static final int TRANSACTIONS = 8;
  private static final int WORKLOADS = 2;
  private static final int MANY_FRAMES = 1024;
  private static final int FEW_FRAMES = 96;
  private static final int MANY_ENTRIES = 10_000;

  /** That of a seed. In every second one pages are evicted all the time. */
  static Scenario of(long seed) {
    Size size =
        new Size(3, 2, 3, Math.floorMod(seed, 2) == 0 ? MANY_FRAMES : FEW_FRAMES, MANY_ENTRIES);
    return new Scenario(
        size,
        rights(seed),
        FaultPlan.of(seed, size),
        CLIENTS,
        TRANSACTIONS,
        () -> Workers.of(seed, WORKLOADS));
  }

  /**
   * In some seeds pages go home after each transaction, so that they are given back all the time.
   */
  private static Map<String, String> rights(long seed) {
    return switch (Math.floorMod(seed, 5)) {
      case 0, 1 -> Map.of("pages.rights", "per-transaction");
      case 2 -> Map.of("pages.rights", "alone");
      default -> Map.of();
    };
  }

  /** The same with other faults. */
  Scenario with(FaultPlan other) {
    return new Scenario(size, settings, other, clients, transactions, workloads);
  }
}
