package io.gauss.simulation.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.local.Carrier.Messages;
import io.gauss.common.transport.session.SessionLayout;
import io.gauss.simulation.Simulation;
import io.gauss.simulation.cluster.SimulatedCluster.Size;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * What a cluster of 3 compute, 2 memory and 3 storage nodes does when nothing is to be done, and
 * for small transactions: messages, and how often threads run. Counted in simulated time, so the
 * machine's load changes nothing. Raft itself is a stand-in here, and not counted.
 */
@Isolated
class ClusterCostTest {
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(12);
  private static final int IDLE_SECONDS = 10;
  private static final int ROUNDS = 20;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** A call about clocks, or its answer. */
  private static final String CLOCKS = "compute to compute 601";

  @TempDir Path directory;

  private final Simulation simulation = new Simulation(1);
  private final Map<Integer, ClientConnection> clients = new TreeMap<>();
  private SimulatedCluster cluster;
  private Counts counts;

  /** Counts of a span of time, by kinds of nodes, and types of messages or names of threads. */
  private final class Counts {
    private final Map<String, Integer> messages = new TreeMap<>();
    private final Map<String, Integer> runs = new TreeMap<>();

    private void begin() {
      simulation.watch(
          (process, thread) ->
              runs.merge(kind(process) + " " + thread.replaceAll("\\d+", "N"), 1, Integer::sum));
      cluster.network().tamper(this::sent);
    }

    private void sent(int from, int to, Messages all) {
      for (int i = 0; i < all.count(); i++) {
        int type = all.type(i);
        boolean inSession = type == SessionLayout.DATA.id();
        String name =
            inSession
                ? "session " + Integer.toHexString(SessionLayout.dataType(all.payload(i)))
                : Integer.toHexString(type);
        messages.merge(kind(from) + " to " + kind(to) + " " + name, 1, Integer::sum);
      }
    }

    private void end() {
      simulation.watch((process, thread) -> {});
      cluster.network().tamper((from, to, all) -> {});
    }

    /** So many each time at most. */
    private void atMost(double most, double times, Map<String, Integer> of, String prefix) {
      int sum =
          of.entrySet().stream()
              .filter(count -> count.getKey().startsWith(prefix))
              .mapToInt(Map.Entry::getValue)
              .sum();
      assertTrue(
          sum / times <= most,
          () -> "%s: %.1f, at most %.1f%n%s".formatted(prefix, sum / times, most, table(times)));
    }

    private String table(double times) {
      StringBuilder table = new StringBuilder();
      messages.forEach((what, n) -> line(table, "message " + what, n / times));
      runs.forEach((what, n) -> line(table, "runs " + what, n / times));
      return table.toString();
    }

    private static void line(StringBuilder table, String what, double count) {
      table.append("%-50s %8.2f%n".formatted(what, count));
    }
  }

  private static String kind(String process) {
    int dash = process.indexOf('-');
    return dash < 0 ? process : process.substring(0, dash);
  }

  private static String kind(int node) {
    return node >= SimulatedCluster.FIRST_STORAGE
        ? "storage"
        : SimulatedCluster.isMemory(node) ? "memory" : "compute";
  }

  private void onCluster(Simulation.Work work) {
    simulation.run(
        () -> {
          cluster =
              new SimulatedCluster(
                  simulation, directory, new Size(3, 2, 3, 2000, 10_000), Map.of(), Map.of());
          cluster.start();
          for (int node = 1; node <= 3; node++) {
            clients.put(node, cluster.connect(node));
          }
          work.run();
          cluster.close();
        });
  }

  private void count(Runnable work) {
    counts = new Counts();
    counts.begin();
    work.run();
    counts.end();
    System.out.printf(Locale.ROOT, "ClusterCostTest%n%s", counts.table(1));
  }

  @Test
  void anIdleClusterDoesLittle() {
    onCluster(
        () -> {
          ownTables();
          updateOwn(3);
          Environment.parkNanos(SETTLE_NANOS);
          count(() -> Environment.parkNanos(TimeUnit.SECONDS.toNanos(IDLE_SECONDS)));
        });
    // Of a compute node it was 332 runs each second, of a memory node 77, of a storage node 225,
    // and 443 messages of all together, while timers ran for things that had not happened.
    counts.atMost(180, 3.0 * IDLE_SECONDS, counts.runs, "compute");
    counts.atMost(45, 2.0 * IDLE_SECONDS, counts.runs, "memory");
    counts.atMost(110, 3.0 * IDLE_SECONDS, counts.runs, "storage");
    counts.atMost(330, IDLE_SECONDS, counts.messages, "");
    counts.atMost(12, 3.0 * IDLE_SECONDS, counts.runs, "compute gauss-clocks"); // 44
    counts.atMost(1.5, 3.0 * IDLE_SECONDS, counts.runs, "compute gauss-horizon"); // 42
    // Three calls in a lease of 270 ms between each two nodes, and their answers.
    counts.atMost(2 * 6 * 3 / 0.27 + 2, IDLE_SECONDS, counts.messages, CLOCKS);
  }

  @Test
  void aTransactionThatNeedsNobodyCallsTheOtherNodesOnce() {
    onCluster(
        () -> {
          ownTables();
          updateOwn(5);
          count(() -> updateOwn(ROUNDS));
        });
    counts.atMost(4.6, 3.0 * ROUNDS, counts.messages, CLOCKS); // some for leases
    counts.atMost(1.2, 3.0 * ROUNDS, counts.messages, "compute to storage d2"); // appends
  }

  /** A page that leaves is forced, which is nobody else's business. */
  @Test
  void theForceBeforeAPageLeavesCallsNobody() {
    onCluster(
        () -> {
          query(1, "CREATE TABLE shared (k int PRIMARY KEY, v int)");
          query(1, "INSERT INTO shared VALUES (1, 0), (2, 0)");
          takeTurns(3);
          count(() -> takeTurns(ROUNDS));
        });
    // Two commits, and some for leases. It was 11.8 when every force called the other nodes.
    counts.atMost(10, ROUNDS, counts.messages, CLOCKS);
    int appends = counts.messages.get("compute to storage d2");
    assertTrue(appends > 2.4 * ROUNDS, () -> appends + " appends: few pages left in between");
  }

  private void ownTables() {
    for (int node = 1; node <= 3; node++) {
      query(node, "CREATE TABLE t" + node + " (k int PRIMARY KEY, v int)");
      query(node, "INSERT INTO t" + node + " VALUES (1, 0)");
    }
  }

  /** Each node changes a row that no other node needs. */
  private void updateOwn(int rounds) {
    for (int i = 0; i < rounds; i++) {
      for (int node = 1; node <= 3; node++) {
        query(node, "UPDATE t" + node + " SET v = v + 1 WHERE k = 1");
        Environment.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /**
   * Another node changes the next row of a page while a transaction is open that has changed it.
   */
  private void takeTurns(int rounds) {
    for (int i = 0; i < rounds; i++) {
      query(1, "BEGIN");
      query(1, "UPDATE shared SET v = v + 1 WHERE k = 1");
      query(2, "UPDATE shared SET v = v + 1 WHERE k = 2");
      query(1, "COMMIT");
      Environment.parkNanos(PAUSE_NANOS);
    }
  }

  private void query(int node, String text) {
    Answer answer = clients.get(node).query(text);
    assertTrue(answer.succeeded(), () -> text + ": " + answer.error() + " " + answer.message());
  }
}
