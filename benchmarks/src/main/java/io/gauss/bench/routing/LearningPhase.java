package io.gauss.bench.routing;

import java.io.PrintWriter;
import java.sql.SQLException;

/** Lets the cluster learn a load before measuring. */
final class LearningPhase {
  private static final double KNOWN_ENOUGH = 0.9;
  private static final int LOOK_MILLIS = 3000;

  private final RoutingOptions options;
  private final PrintWriter out;

  LearningPhase(RoutingOptions options, PrintWriter out) {
    this.options = options;
    this.out = out;
  }

  /** Runs the clients for the time set for learning. */
  UnitTally run(RoutedClients clients) throws SQLException, InterruptedException {
    return counted(clients, 1000L * options.learn()).units;
  }

  /**
   * Runs clients that use the publications until these know most of their transactions, or the time
   * is up.
   */
  UnitTally untilKnown(RoutedClients clients, RoutingMode mode)
      throws SQLException, InterruptedException {
    UnitTally trace = new UnitTally();
    long start = System.nanoTime();
    double known;
    do {
      RoutedClient.Tally tally = counted(clients, LOOK_MILLIS);
      known = (double) tally.known / Math.max(1, tally.latencyUs.getTotalCount());
      trace.add(tally.units);
    } while (known < KNOWN_ENOUGH
        && System.nanoTime() - start < options.learnMost() * 1_000_000_000L);
    out.printf(
        "%s knows %.1f %% of the transactions after %.0f s%n",
        mode.label(), 100 * known, (System.nanoTime() - start) / 1e9);
    out.flush();
    return trace;
  }

  private static RoutedClient.Tally counted(RoutedClients clients, long millis)
      throws SQLException, InterruptedException {
    clients.run(
        run -> {
          run.measure(true);
          run.pass(millis);
          return null;
        });
    return clients.takeTally();
  }
}
