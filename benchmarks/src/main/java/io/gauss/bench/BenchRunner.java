package io.gauss.bench;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/** Loads a workload when need be, runs its terminals for a while, and reports. */
public final class BenchRunner {
  private static final int LOADERS = 4;
  private static final int PROGRESS_MS = 500;

  private final Workload workload;
  private final BenchOptions options;
  private final PrintWriter out;
  private final AtomicLong finished = new AtomicLong();
  private final Map<String, AtomicLong> aborts = new ConcurrentHashMap<>();
  private volatile boolean measuring;
  private volatile boolean stopped;

  public BenchRunner(Workload workload, BenchOptions options, PrintWriter out) {
    this.workload = workload;
    this.options = options;
    this.out = out;
  }

  /**
   * Runs everything.
   *
   * @throws SQLException when loading fails, or a terminal meets an error that is no abort
   */
  public BenchResult run() throws SQLException, InterruptedException {
    loadIfNeeded();
    List<Connection> connections = new ArrayList<>();
    try {
      for (int i = 0; i < options.terminals(); i++) {
        connections.add(connect());
      }
      return measure(connections);
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private Connection connect() throws SQLException {
    Connection connection =
        DriverManager.getConnection(options.url(), options.user(), options.password());
    if (options.isolation() >= 0) {
      connection.setTransactionIsolation(options.isolation());
    }
    return connection;
  }

  // ---------------------------------------------------------------- load

  private void loadIfNeeded() throws SQLException, InterruptedException {
    try (Connection connection = connect()) {
      if (!options.load() && workload.isLoaded(connection)) {
        return;
      }
      workload.createSchema(connection);
    }
    long start = System.nanoTime();
    AtomicInteger next = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    try (ExecutorService loaders = Executors.newFixedThreadPool(LOADERS)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < LOADERS; i++) {
        all.add(
            loaders.submit(
                () -> {
                  loadParts(next, done);
                  return null;
                }));
      }
      for (Future<?> each : all) {
        await(each);
      }
    }
    try (Connection connection = connect()) {
      workload.finishLoad(connection);
    }
    progress("");
    out.printf("loaded in %.1f s%n", (System.nanoTime() - start) / 1e9);
    out.flush();
  }

  private void loadParts(AtomicInteger next, AtomicInteger done) throws SQLException {
    try (Connection connection = connect()) {
      connection.setAutoCommit(false);
      for (int part = next.getAndIncrement();
          part < workload.loadParts();
          part = next.getAndIncrement()) {
        workload.loadPart(connection, part, new SplittableRandom(options.seed() + part));
        connection.commit();
        progress(bar("loading", done.incrementAndGet(), workload.loadParts(), ""));
      }
    }
  }

  private static void await(Future<?> future) throws SQLException, InterruptedException {
    try {
      future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException sql) {
        throw sql;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  // ---------------------------------------------------------------- run

  private BenchResult measure(List<Connection> connections)
      throws SQLException, InterruptedException {
    int kinds = workload.kinds().size();
    KindStatistics[][] statistics = new KindStatistics[connections.size()][kinds];
    SplittableRandom seeds = new SplittableRandom(options.seed());
    CountDownLatch ready = new CountDownLatch(connections.size());
    CountDownLatch start = new CountDownLatch(1);
    Optional<ServerCpu> cpu = ServerCpu.of(options.url());
    List<Future<?>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(connections.size())) {
      for (int i = 0; i < connections.size(); i++) {
        int id = i;
        SplittableRandom random = seeds.split();
        for (int k = 0; k < kinds; k++) {
          statistics[i][k] = new KindStatistics();
        }
        running.add(
            threads.submit(
                () -> {
                  try {
                    Workload.Terminal terminal =
                        workload.newTerminal(connections.get(id), id, random);
                    ready.countDown();
                    start.await();
                    runTerminal(terminal, connections.get(id), statistics[id]);
                  } finally {
                    ready.countDown();
                  }
                  return null;
                }));
      }
      ready.await();
      start.countDown();
      follow("warm-up", options.warmupSeconds(), running);
      OptionalDouble cpuBefore = cpu.map(ServerCpu::seconds).orElse(OptionalDouble.empty());
      finished.set(0);
      measuring = true;
      long begin = System.nanoTime();
      follow("running", options.seconds(), running);
      measuring = false;
      double seconds = (System.nanoTime() - begin) / 1e9;
      OptionalDouble cpuAfter = cpu.map(ServerCpu::seconds).orElse(OptionalDouble.empty());
      stopped = true;
      for (Future<?> each : running) {
        await(each);
      }
      progress("");
      Double cpuSeconds =
          cpuBefore.isPresent() && cpuAfter.isPresent()
              ? cpuAfter.getAsDouble() - cpuBefore.getAsDouble()
              : null;
      return result(statistics, seconds, cpuSeconds);
    } finally {
      stopped = true;
      start.countDown();
    }
  }

  private void runTerminal(
      Workload.Terminal terminal, Connection connection, KindStatistics[] statistics)
      throws SQLException {
    while (!stopped) {
      long start = System.nanoTime();
      int kind;
      while (true) {
        try {
          kind = terminal.runOne();
          break;
        } catch (SQLException e) {
          String state = e.getSQLState() == null ? "?" : e.getSQLState();
          if (!connection.getAutoCommit()) {
            connection.rollback();
          }
          if (measuring) {
            aborts.computeIfAbsent(state, s -> new AtomicLong()).incrementAndGet();
            statistics[terminal.currentKind()].failures++;
          }
          if (!state.startsWith("40")) {
            throw e;
          }
          if (stopped) {
            return;
          }
        }
      }
      if (measuring) {
        statistics[kind].record(System.nanoTime() - start);
        finished.incrementAndGet();
      }
    }
  }

  private void follow(String what, int seconds, List<Future<?>> running)
      throws SQLException, InterruptedException {
    long begin = System.nanoTime();
    long end = begin + seconds * 1_000_000_000L;
    while (System.nanoTime() < end) {
      for (Future<?> each : running) {
        if (each.isDone()) {
          await(each);
        }
      }
      long leftMs = (end - System.nanoTime()) / 1_000_000;
      if (leftMs > 0) {
        java.util.concurrent.TimeUnit.MILLISECONDS.sleep(Math.min(PROGRESS_MS, leftMs));
      }
      double passed = (System.nanoTime() - begin) / 1e9;
      progress(
          bar(
              what,
              (int) passed,
              seconds,
              measuring ? "%.0f/s".formatted(finished.get() / passed) : ""));
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

  // ---------------------------------------------------------------- report

  private BenchResult result(KindStatistics[][] statistics, double seconds, Double cpuSeconds)
      throws SQLException {
    Map<String, Map<String, Double>> latency = new LinkedHashMap<>();
    long transactions = 0;
    long newOrders = 0;
    KindStatistics all = new KindStatistics();
    for (int k = 0; k < workload.kinds().size(); k++) {
      KindStatistics sum = new KindStatistics();
      for (KindStatistics[] each : statistics) {
        sum.add(each[k]);
      }
      all.add(sum);
      transactions += sum.latencyUs.getTotalCount();
      if (workload.kinds().get(k).equals("new_order")) {
        newOrders = sum.latencyUs.getTotalCount();
      }
      latency.put(workload.kinds().get(k), percentiles(sum));
    }
    latency.put("all", percentiles(all));
    Map<String, Long> abortCounts = new TreeMap<>();
    aborts.forEach((state, count) -> abortCounts.put(state, count.get()));
    List<String> violations;
    String server;
    try (Connection connection = connect()) {
      violations = workload.violations(connection);
      server =
          connection.getMetaData().getDatabaseProductName()
              + " "
              + connection.getMetaData().getDatabaseProductVersion();
    }
    return new BenchResult(
        workload.name(),
        options.url(),
        server,
        options.terminals(),
        seconds,
        transactions,
        transactions / seconds,
        newOrders * 60 / seconds,
        latency,
        abortCounts,
        cpuSeconds,
        cpuSeconds == null || transactions == 0 ? null : cpuSeconds * 1000 / transactions,
        violations,
        options.settings());
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

  /** Prints a result for people. */
  public static void print(BenchResult result, PrintWriter out) {
    out.printf("%s on %s%n", result.workload(), result.server());
    out.printf(
        "  %.1f transactions/s in %.1f s with %d terminals%n",
        result.transactionsPerSecond(), result.seconds(), result.terminals());
    if (result.newOrdersPerMinute() > 0) {
      out.printf("  %.0f new orders/min%n", result.newOrdersPerMinute());
    }
    if (result.serverCpuMillisPerTransaction() != null) {
      out.printf(
          "  server CPU %.1f s, %.1f µs per transaction%n",
          result.serverCpuSeconds(), result.serverCpuMillisPerTransaction() * 1000);
    }
    out.printf(
        "  %-16s %10s %8s %9s %9s %9s %9s%n",
        "kind", "count", "failed", "p50 ms", "p95 ms", "p99 ms", "max ms");
    result
        .latencyMs()
        .forEach(
            (kind, v) ->
                out.printf(
                    "  %-16s %10.0f %8.0f %9.2f %9.2f %9.2f %9.2f%n",
                    kind,
                    v.get("count"),
                    v.get("failures"),
                    v.get("p50"),
                    v.get("p95"),
                    v.get("p99"),
                    v.get("max")));
    if (!result.aborts().isEmpty()) {
      out.println("  aborts by SQLSTATE: " + result.aborts());
    }
    if (result.violations().isEmpty()) {
      out.println("  consistency conditions hold");
    } else {
      result.violations().forEach(v -> out.println("  VIOLATED: " + v));
    }
    out.flush();
  }
}
