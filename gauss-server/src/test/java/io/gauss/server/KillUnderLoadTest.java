package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.bench.BenchOptions;
import io.gauss.bench.BenchRunner;
import io.gauss.bench.Placement;
import io.gauss.bench.Workload;
import io.gauss.bench.tpcc.TpccWorkload;
import io.gauss.storage.disk.PrivateFiles;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server is killed with SIGKILL under write load, round after round: no acknowledged commit is
 * lost, no row of a commit that failed before the kill is there, and after every restart TPC-C's
 * consistency conditions hold and all checkers of the store find it sound. {@code -Dgauss.rounds}
 * sets the number of rounds.
 */
class KillUnderLoadTest {
  private static final int WRITERS = 4;
  private static final int TERMINALS = 4;
  private static final int LOAD_MS_MAX = 2_000;

  @Test
  void threeRounds(@TempDir Path directory) throws Exception {
    run(directory, Integer.getInteger("gauss.rounds", 3), false);
  }

  @Test
  @Tag("long")
  void fiftyRoundsUnderTpcc(@TempDir Path directory) throws Exception {
    run(directory, Integer.getInteger("gauss.rounds", 50), true);
  }

  /** One thread's rows of the ledger: what it sent, and what was acknowledged. */
  private static final class Writer implements Runnable {
    final int id;
    final BitSet acknowledged = new BitSet();
    final BitSet rolledBack = new BitSet();
    private final ServerProcess server;
    private final AtomicInteger next = new AtomicInteger();

    Writer(int id, ServerProcess server) {
      this.id = id;
      this.server = server;
    }

    @Override
    public void run() {
      try (Connection connection = server.connect();
          PreparedStatement insert =
              connection.prepareStatement("INSERT INTO ledger VALUES (?, ?, ?)");
          PreparedStatement count =
              connection.prepareStatement("UPDATE counters SET n = n + 1 WHERE writer = ?")) {
        connection.setAutoCommit(false);
        while (true) {
          int n = next.getAndIncrement();
          insert.setInt(1, id);
          insert.setInt(2, n);
          insert.setString(3, "row " + n);
          insert.executeUpdate();
          count.setInt(1, id);
          count.executeUpdate();
          if (n % 7 == 3) {
            connection.rollback();
            rolledBack.set(n);
          } else {
            connection.commit();
            acknowledged.set(n);
          }
        }
      } catch (SQLException e) {
        // The server was killed; what was acknowledged by now counts.
      }
    }
  }

  private static void run(Path directory, int rounds, boolean tpcc) throws Exception {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.err.println("KillUnderLoadTest gauss.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    Path data = PrivateFiles.createDirectory(directory.resolve("data"));
    List<Long> restarts = new ArrayList<>();
    Workload workload = new TpccWorkload(1, true);
    try (ServerProcess server = new ServerProcess(data)) {
      server.start();
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        statement.execute(
            "CREATE TABLE ledger (writer int, n int, t text, PRIMARY KEY (writer, n))");
        statement.execute("CREATE INDEX ledger_t ON ledger (t)");
        statement.execute("CREATE TABLE counters (writer int PRIMARY KEY, n int)");
        for (int i = 0; i < WRITERS; i++) {
          statement.execute("INSERT INTO counters VALUES (" + i + ", 0)");
        }
      }
      if (tpcc) {
        new BenchRunner(workload, options(server, 1), new PrintWriter(new StringWriter())).run();
      }
      List<Writer> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        writers.add(new Writer(i, server));
      }
      for (int round = 0; round < rounds; round++) {
        oneRound(server, writers, tpcc ? workload : null, random);
        restarts.add(server.start());
        check(server, writers, tpcc ? workload : null, round);
      }
      assertEquals(
          List.of(Long.toString(server.pid())),
          NativeDirectoryTest.names(data.resolve("native")),
          "native libraries of killed processes");
    }
    long[] sorted = restarts.stream().mapToLong(Long::longValue).sorted().toArray();
    System.err.printf(
        "%d rounds, lost 0; restart ms min %d, median %d, max %d %s%n",
        rounds,
        sorted[0],
        sorted[sorted.length / 2],
        sorted[sorted.length - 1],
        Arrays.toString(sorted));
  }

  private static BenchOptions options(ServerProcess server, int seconds) {
    return new BenchOptions(
        List.of(server.url() + "&reWriteBatchedInserts=true"),
        Placement.PINNED,
        "gauss",
        "",
        TERMINALS,
        seconds,
        0,
        -1,
        false,
        1,
        false,
        Map.of());
  }

  private static void oneRound(
      ServerProcess server, List<Writer> writers, Workload workload, SplittableRandom random)
      throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (Writer writer : writers) {
      threads.add(Thread.ofPlatform().start(writer));
    }
    if (workload != null) {
      for (int i = 0; i < TERMINALS; i++) {
        int id = i;
        SplittableRandom own = random.split();
        threads.add(Thread.ofPlatform().start(() -> terminal(server, workload, id, own)));
      }
    }
    TimeUnit.MILLISECONDS.sleep(300 + random.nextInt(LOAD_MS_MAX));
    server.kill();
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(180));
      assertFalse(thread.isAlive(), "a client hangs after the kill");
    }
  }

  private static void terminal(
      ServerProcess server, Workload workload, int id, SplittableRandom random) {
    try (Connection connection = server.connect()) {
      Workload.Terminal terminal = workload.newTerminal(connection, id, random);
      while (true) {
        try {
          terminal.runOne();
        } catch (SQLException e) {
          if (!e.getSQLState().startsWith("40")) {
            return;
          }
          connection.rollback();
        }
      }
    } catch (SQLException e) {
      // Killed.
    }
  }

  private static String text(ResultSet row) {
    try {
      return row.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void check(
      ServerProcess server, List<Writer> writers, Workload workload, int round)
      throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (Writer writer : writers) {
        BitSet there = new BitSet();
        try (ResultSet rows =
            statement.executeQuery("SELECT n FROM ledger WHERE writer = " + writer.id)) {
          while (rows.next()) {
            there.set(rows.getInt(1));
          }
        }
        BitSet lost = (BitSet) writer.acknowledged.clone();
        lost.andNot(there);
        assertTrue(
            lost.isEmpty(),
            "round " + round + ": acknowledged commits lost: " + lost.cardinality());
        BitSet undead = (BitSet) writer.rolledBack.clone();
        undead.and(there);
        assertTrue(undead.isEmpty(), "round " + round + ": rolled back but there: " + undead);
        try (ResultSet rows =
            statement.executeQuery("SELECT n FROM counters WHERE writer = " + writer.id)) {
          assertTrue(rows.next());
          assertEquals(
              there.cardinality(), rows.getInt(1), "round " + round + ": half a transaction");
        }
      }
      if (workload != null) {
        assertEquals(List.of(), workload.violations(connection), "round " + round);
      }
      try (ResultSet problems =
          statement.executeQuery(
              "SELECT name || ': ' || problem FROM gauss.store_check WHERE problem IS NOT NULL")) {
        assertFalse(
            problems.next(), () -> "round " + round + ": the store is damaged: " + text(problems));
      }
    }
  }
}
