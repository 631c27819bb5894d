package io.gauss.bench;

import io.gauss.bench.cost.ClusterWatch;
import io.gauss.bench.cost.RoleCost;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Compares sessions with {@code gauss.reroute} off and on, on one cluster: plain clients are spread
 * over its compute nodes, as behind a load balancer, and the settings have their turns, round after
 * round, so that changes over time affect both alike. In every second round the second one begins.
 */
public final class RerouteComparison {
  private static final int ONE_LOADER = 1;
  private static final String NOT_GAUSS = "55000";

  private final RerouteLoad load;
  private final RerouteOptions options;
  private final PrintWriter out;
  private final Workload workload;

  public RerouteComparison(RerouteLoad load, RerouteOptions options, PrintWriter out) {
    this.load = load;
    this.options = options;
    this.out = out;
    this.workload = load.workload();
  }

  /**
   * Runs everything and reports progress.
   *
   * @throws SQLException when a client gets an error other than a rollback because of concurrency,
   *     or the server is not Gauss
   */
  public RerouteResult run() throws SQLException, InterruptedException {
    loadIfNeeded();
    List<Client> clients = new ArrayList<>();
    try (ClusterWatch watch = watch()) {
      SplittableRandom seeds = new SplittableRandom(options.seed());
      for (int i = 0; i < options.clients(); i++) {
        Client client = new Client(i, 1, workload.kinds().size(), seeds.split());
        clients.add(client);
        client.use(0, connect(load.url(options.addresses().get(i % options.addresses().size()))));
        client.prepare(workload);
      }
      warmUp(clients);
      List<RerouteTurn> turns = new ArrayList<>();
      for (int round = 1; round <= options.rounds(); round++) {
        boolean first = round % 2 == 0;
        turns.add(turn(round, first, clients, watch));
        turns.add(turn(round, !first, clients, watch));
      }
      return RerouteResult.of(load.name(), turns, violations());
    } finally {
      for (Client client : clients) {
        client.close();
      }
    }
  }

  private Connection connect(String url) throws SQLException {
    return DriverManager.getConnection(url, options.user(), options.password());
  }

  private Connection connectFirst() throws SQLException {
    return connect(load.loadingUrl(options.addresses().getFirst()));
  }

  private void loadIfNeeded() throws SQLException, InterruptedException {
    WorkloadLoader loader =
        new WorkloadLoader(
            workload, this::connectFirst, ONE_LOADER, options.seed(), (done, all) -> {});
    if (options.load() || !loader.isLoaded()) {
      out.printf("%s: loaded in %.0f s%n", load.name(), loader.load());
      out.flush();
    }
  }

  private ClusterWatch watch() throws SQLException {
    try (Connection connection = connectFirst()) {
      return ClusterWatch.of(connection)
          .orElseThrow(() -> new SQLException("the server has no view gauss.nodes", NOT_GAUSS));
    }
  }

  private List<String> violations() throws SQLException {
    try (Connection connection = connectFirst()) {
      return workload.violations(connection);
    }
  }

  private static ClientThreads start(List<Client> clients, boolean reroute)
      throws InterruptedException {
    String set = "SET gauss.reroute = " + (reroute ? "on" : "off");
    return new ClientThreads(clients, client -> client.execute(set));
  }

  private void warmUp(List<Client> clients) throws SQLException, InterruptedException {
    try (ClientThreads threads = start(clients, true)) {
      for (int second = 0; second < options.warmup(); second++) {
        threads.pass(1000);
      }
      threads.stop();
    }
  }

  private RerouteTurn turn(int round, boolean reroute, List<Client> clients, ClusterWatch watch)
      throws SQLException, InterruptedException {
    try (ClientThreads threads = start(clients, reroute)) {
      threads.pass(1000L * options.settle());
      watch.begin();
      threads.measure(true);
      long begin = System.nanoTime();
      threads.pass(1000L * options.seconds());
      threads.measure(false);
      double seconds = (System.nanoTime() - begin) / 1e9;
      watch.end();
      threads.stop();
      RerouteTurn turn = turn(round, reroute, tally(clients), seconds, watch);
      out.printf(
          "round %d reroute %-3s %8.0f/s p95 %7.2f ms failed %.2f %% CPU %.2f ms forwarded %.0f"
              + " %%%n",
          round,
          turn.setting(),
          turn.transactionsPerSecond(),
          turn.p95Millis(),
          100 * turn.failures(),
          turn.cpuMillis(RoleCost.CLUSTER),
          100 * RerouteTurn.orNan(turn.cost(RoleCost.CLUSTER).forwarded()));
      out.flush();
      return turn;
    }
  }

  private static RerouteTurn turn(
      int round, boolean reroute, KindStatistics all, double seconds, ClusterWatch watch) {
    double transactions = all.latencyUs.getTotalCount();
    return new RerouteTurn(
        round,
        reroute,
        transactions / seconds,
        all.latencyUs.getValueAtPercentile(95) / 1000.0,
        all.failures / Math.max(1, transactions),
        watch.costs(transactions / seconds));
  }

  private KindStatistics tally(List<Client> clients) {
    KindStatistics all = new KindStatistics();
    for (Client client : clients) {
      all.add(client.takeTally(0).allKinds());
    }
    return all;
  }
}
