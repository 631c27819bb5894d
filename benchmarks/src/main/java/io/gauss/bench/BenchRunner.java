package io.gauss.bench;

import io.gauss.bench.cost.ClusterWatch;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Loads a workload if need be, runs its terminals for some time, and reports. */
public final class BenchRunner {
  private static final int LOADERS = 4;
  private static final int LOADING_NODE = 0;
  private static final int PROGRESS_MS = 500;

  private final Workload workload;
  private final BenchOptions options;
  private final PrintWriter out;

  public BenchRunner(Workload workload, BenchOptions options, PrintWriter out) {
    this.workload = workload;
    this.options = options;
    this.out = out;
  }

  /**
   * Runs everything.
   *
   * @throws SQLException when loading fails, or a terminal gets an error that is not an abort
   */
  public BenchResult run() throws SQLException, InterruptedException {
    loadIfNeeded();
    List<Client> clients = new ArrayList<>();
    try {
      SplittableRandom seeds = new SplittableRandom(options.seed());
      for (int i = 0; i < options.terminals(); i++) {
        Client client =
            new Client(i, options.urls().size(), workload.kinds().size(), seeds.split());
        clients.add(client);
        for (int node : nodesOf(i)) {
          client.use(node, connect(node));
        }
      }
      return measure(clients);
    } finally {
      for (Client client : clients) {
        client.close();
      }
    }
  }

  private int[] nodesOf(int terminal) {
    int nodes = options.urls().size();
    return switch (options.placement()) {
      case PINNED -> new int[] {workload.group(terminal) % nodes};
      case SPRAYED -> IntStream.range(0, nodes).toArray();
    };
  }

  private Connection connect(int node) throws SQLException {
    Connection connection =
        DriverManager.getConnection(options.urls().get(node), options.user(), options.password());
    if (options.isolation() >= 0) {
      connection.setTransactionIsolation(options.isolation());
    }
    return connection;
  }

  // ---------------------------------------------------------------- load

  private void loadIfNeeded() throws SQLException, InterruptedException {
    WorkloadLoader loader =
        new WorkloadLoader(
            workload,
            () -> connect(LOADING_NODE),
            LOADERS,
            options.seed(),
            (done, all) -> progress(bar("loading", done, all, "")));
    if (options.load() || !loader.isLoaded()) {
      double seconds = loader.load();
      progress("");
      out.printf("loaded in %.1f s%n", seconds);
      out.flush();
    }
  }

  // ---------------------------------------------------------------- run

  private BenchResult measure(List<Client> clients) throws SQLException, InterruptedException {
    Optional<ClusterWatch> cluster = watch();
    try (ClientThreads threads = new ClientThreads(clients, client -> client.prepare(workload))) {
      follow("warm-up", options.warmupSeconds(), threads, false);
      cluster.ifPresent(ClusterWatch::begin);
      CpuUse cpu = CpuUse.begin(options.urls());
      threads.measure(true);
      long begin = System.nanoTime();
      follow("running", options.seconds(), threads, true);
      threads.measure(false);
      double seconds = (System.nanoTime() - begin) / 1e9;
      cpu.end();
      cluster.ifPresent(ClusterWatch::end);
      threads.stop();
      progress("");
      return result(new Measurement(seconds, tallies(clients), cpu, cluster));
    } finally {
      cluster.ifPresent(ClusterWatch::close);
    }
  }

  private Optional<ClusterWatch> watch() throws SQLException {
    try (Connection connection = connect(LOADING_NODE)) {
      return ClusterWatch.of(connection);
    }
  }

  private List<NodeTally> tallies(List<Client> clients) {
    List<NodeTally> nodes = new ArrayList<>();
    for (int node = 0; node < options.urls().size(); node++) {
      NodeTally sum = new NodeTally(workload.kinds().size());
      for (Client client : clients) {
        sum.add(client.tally(node));
      }
      nodes.add(sum);
    }
    return nodes;
  }

  /** The consistency conditions are checked on every node. */
  private BenchResult result(Measurement measurement) throws SQLException {
    List<String> violations = new ArrayList<>();
    String server = "";
    for (int node = 0; node < options.urls().size(); node++) {
      try (Connection connection = connect(node)) {
        String where = options.urls().size() == 1 ? "" : "node " + (node + 1) + ": ";
        workload.violations(connection).forEach(text -> violations.add(where + text));
        server =
            connection.getMetaData().getDatabaseProductName()
                + " "
                + connection.getMetaData().getDatabaseProductVersion();
      }
    }
    return measurement.result(workload, options, server, violations);
  }

  private void follow(String what, int seconds, ClientThreads threads, boolean measuring)
      throws SQLException, InterruptedException {
    long begin = System.nanoTime();
    long end = begin + seconds * 1_000_000_000L;
    while (System.nanoTime() < end) {
      long leftMs = (end - System.nanoTime()) / 1_000_000;
      threads.pass(Math.clamp(leftMs, 0, PROGRESS_MS));
      double passed = (System.nanoTime() - begin) / 1e9;
      progress(
          bar(
              what,
              (int) passed,
              seconds,
              measuring ? "%.0f/s".formatted(threads.finished() / passed) : ""));
    }
  }

  private static String bar(String what, int done, int all, String note) {
    int width = 30;
    int filled = all == 0 ? width : Math.min(width, width * done / all);
    return "%-8s [%s%s] %d/%d %s"
        .formatted(what, "#".repeat(filled), ".".repeat(width - filled), done, all, note);
  }

  private synchronized void progress(String line) {
    if (options.progress()) {
      System.err.print("\r\033[K" + line);
      System.err.flush();
    }
  }
}
