package io.gauss.bench.routing;

import java.io.PrintWriter;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Compares ways to choose nodes on a running cluster that learns: first the cluster learns the load
 * from transactions on any node, until its publications know it; then the modes have their turns,
 * round after round, so that changes over time (JVMs that warm up, tables that grow, other work on
 * the machine) affect all of them equally.
 *
 * <p>A turn begins with the pages where the previous mode has left them. So it is measured only
 * when transfers per transaction no longer change much.
 */
public final class RoutingComparison {
  private static final int INTERVALS = 2;

  /** A small relative change of transfers per transaction. */
  private static final double SMALL_CHANGE = 0.1;

  private static final double SMALL_TRANSFERS = 0.1;

  private final RoutedWorkload workload;
  private final RoutingOptions options;
  private final PrintWriter out;
  private final SplittableRandom seeds;
  private final Map<RoutingMode, RoutedClients> clients = new EnumMap<>(RoutingMode.class);
  private final UnitTally trace = new UnitTally();
  private OwnersOracle ownersOracle;

  public RoutingComparison(RoutedWorkload workload, RoutingOptions options, PrintWriter out) {
    this.workload = workload;
    this.options = options;
    this.out = out;
    this.seeds = new SplittableRandom(options.seed());
  }

  /**
   * Runs everything and reports progress.
   *
   * @return the results of each mode in each round
   * @throws SQLException when a client gets an error other than a rollback because of concurrency
   */
  public List<ModeResult> run() throws SQLException, InterruptedException {
    try (ComputeNodes nodes =
        new ComputeNodes(options.addresses(), options.user(), options.password())) {
      RoutingLoads.loadIfNeeded(workload, options, out);
      learn(nodes);
      List<ModeResult> results = new ArrayList<>();
      for (int round = 1; round <= options.rounds(); round++) {
        for (RoutingMode mode : options.modes()) {
          ModeResult result = turn(mode, nodes);
          results.add(result);
          out.printf(
              "round %d %-10s %8.3f transfers/transaction %5.1f %% owned %7.0f/s p95 %7.1f ms"
                  + " busiest %3.0f %% known %5.1f %% failed %.2f %% CPU %s (settled in %.0f s)%n",
              round,
              mode.label(),
              result.transfersPerTransaction(),
              100 * result.ownedShare(),
              result.transactionsPerSecond(),
              result.p95Millis(),
              100 * result.busiest(),
              100 * result.known(),
              100 * result.failures(),
              result.cpuMillis().shown(),
              result.settled());
          out.flush();
        }
      }
      return results;
    } finally {
      closeAll();
    }
  }

  // ---------------------------------------------------------------- learning

  private void learn(ComputeNodes nodes) throws SQLException, InterruptedException {
    LearningPhase learning = new LearningPhase(options, out);
    UnitTally anywhere = learning.run(clients(RoutingMode.RANDOM));
    List<RoutingMode> learned = options.modes().stream().filter(RoutingMode::isLearned).toList();
    if (learned.isEmpty()) {
      trace.add(anywhere);
    }
    for (RoutingMode mode : learned) {
      trace.add(learning.untilKnown(clients(mode), mode));
    }
    out.printf("%s; %s%n", nodes.publication("table"), nodes.publication("model"));
    out.flush();
  }

  // ---------------------------------------------------------------- turns

  private ModeResult turn(RoutingMode mode, ComputeNodes nodes)
      throws SQLException, InterruptedException {
    RoutedClients turn = clients(mode);
    long begin = System.nanoTime();
    boolean plain = mode == RoutingMode.PGJDBC;
    record Measured(TransferCounts counts, RoleCpu cpu, double seconds, double settled) {}
    Measured measured =
        turn.run(
            run -> {
              settle(run, nodes, plain);
              RoleCpu cpuBefore = nodes.cpu();
              TransferCounts before = nodes.counts(plain);
              long start = System.nanoTime();
              run.measure(true);
              run.pass(1000L * options.seconds());
              run.measure(false);
              double seconds = (System.nanoTime() - start) / 1e9;
              return new Measured(
                  nodes.counts(plain).since(before),
                  nodes.cpu().since(cpuBefore),
                  seconds,
                  (start - begin) / 1e9);
            });
    RoutedClient.Tally tally = turn.takeTally();
    if (mode.isLearned()) {
      trace.add(tally.units);
    }
    return ModeResult.of(
        mode, measured.counts(), measured.cpu(), tally, measured.seconds(), measured.settled());
  }

  private void settle(RoutedClients.Run run, ComputeNodes nodes, boolean plain)
      throws SQLException, InterruptedException {
    List<TransferCounts> seen = new ArrayList<>();
    seen.add(nodes.counts(plain));
    for (int second = 1; second <= options.settleMost(); second++) {
      run.pass(1000);
      seen.add(nodes.counts(plain));
      if (second >= options.settle() && hasSettled(seen)) {
        return;
      }
    }
  }

  /**
   * Whether transfers per transaction were about the same in the last two intervals as in the two
   * before.
   *
   * @param seen counts at the ends of intervals
   */
  static boolean hasSettled(List<TransferCounts> seen) {
    int last = seen.size() - 1;
    if (last < 2 * INTERVALS) {
      return false;
    }
    TransferCounts middle = seen.get(last - INTERVALS);
    double now = seen.get(last).since(middle).perTransaction();
    double before = middle.since(seen.get(last - 2 * INTERVALS)).perTransaction();
    return Math.abs(now - before) <= SMALL_CHANGE * Math.max(before, SMALL_TRANSFERS);
  }

  // ---------------------------------------------------------------- clients

  private RoutedClients clients(RoutingMode mode) throws SQLException {
    RoutedClients of = clients.get(mode);
    if (of == null) {
      of = new RoutedClients(workload, mode, options, seeds.split(), oracle(mode), false);
      clients.put(mode, of);
    }
    return of;
  }

  private Oracle oracle(RoutingMode mode) throws SQLException {
    if (mode == RoutingMode.ORACLE) {
      int[] assignment = assignment();
      return (unit, key) -> assignment[unit];
    }
    if (mode != RoutingMode.ORACLE_OWNERS || workload.keyColumn() == null) {
      return null;
    }
    if (ownersOracle == null) {
      ownersOracle =
          new OwnersOracle(
              DriverManager.getConnection(
                  options.url("routing.mode=off", 0), options.user(), options.password()),
              workload.keyColumn(),
              assignment());
    }
    return ownersOracle;
  }

  private int[] assignment() throws SQLException {
    try (var connection =
        DriverManager.getConnection(
            options.url(RoutingMode.STICKY.properties(), 0), options.user(), options.password())) {
      List<Integer> numbers = RoutingLoads.numbers(connection);
      int[] assignment = OracleAssignment.of(trace, workload.units(), numbers);
      out.printf("oracle: units %s%n", RoutingLoads.shown(assignment, numbers));
      return assignment;
    }
  }

  private void closeAll() throws SQLException {
    SQLException failure = null;
    for (RoutedClients each : clients.values()) {
      try {
        each.close();
      } catch (SQLException e) {
        failure = e;
      }
    }
    if (ownersOracle != null) {
      ownersOracle.close();
    }
    if (failure != null) {
      throw failure;
    }
  }
}
