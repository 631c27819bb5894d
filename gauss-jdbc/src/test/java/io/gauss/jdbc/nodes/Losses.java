package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;
import static io.gauss.jdbc.nodes.TwoNodes.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.RoutedConnection;
import io.gauss.jdbc.nodes.CommitScript.Rows;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * For tests: every way to send BEGIN and COMMIT, with the connection lost after any byte in either
 * direction: what the application is told is true (rule 39), no transaction runs twice, and the
 * connection works afterwards, on the other node. One connection lives through all losses of a
 * test.
 */
final class Losses {
  static final int FEW = Integer.getInteger("gauss.losses", 60);
  static final int MANY = 3000;

  private final long seed = Long.getLong("gauss.seed", System.nanoTime());
  private final Map<String, Integer> told = new TreeMap<>(); // of losses
  private final Set<CommitScript> lost = new HashSet<>(); // scripts that were under way
  private int losses;
  private int completed; // runs without a loss
  private int next;
  private int work; // rows of what is done between losses
  private boolean isSimple;

  /** Two ways, and what is behind them, past them. */
  record Behind(ByteCut first, ByteCut second, Connection one, Connection other) {
    Connection of(ByteCut cut) {
      return cut == first ? one : other;
    }
  }

  private static ByteCut cut(Connection connection, Behind behind) throws SQLException {
    int port = connection.unwrap(RoutedConnection.class).node().port();
    return port == behind.first.port() ? behind.first : behind.second;
  }

  /** Waits until the server has done what it has got, and rolled the rest back. */
  private static void awaitEnd(Connection direct, String process) throws SQLException {
    String left = "SELECT 1 FROM pg_stat_activity WHERE pid = " + process;
    while (!query(direct, left).isEmpty()) {
      Thread.onSpinWait();
    }
  }

  private static long count(Connection direct, int row) throws SQLException {
    return Long.parseLong(query(direct, "SELECT count(*) FROM seen WHERE i = " + row).getFirst());
  }

  /**
   * @param where for the output
   */
  void losses(String where, String url, Behind behind, int runs) throws Exception {
    Random random = new Random(seed);
    List<CommitScript> all = CommitScript.all();
    for (String mode : List.of("simple", "extended")) {
      String more = "&routing.discover=false&routing.rebalanceSeconds=0&preferQueryMode=";
      try (Connection connection = DriverManager.getConnection(url + more + mode)) {
        for (int i = 0; i < runs; i++) {
          CommitScript script = CommitScript.any(all, random);
          boolean toServer = random.nextBoolean();
          isSimple = mode.equals("simple");
          long bytes = run(script, connection, behind, toServer, Long.MAX_VALUE);
          // Often at the very end, where a commit's answer is.
          long at = random.nextInt(4) == 0 ? Math.max(0, bytes - 1) : random.nextLong(bytes + 1);
          run(script, connection, behind, toServer, at);
        }
      }
    }
    String twice = "SELECT i FROM seen GROUP BY i HAVING count(*) > 1";
    assertEquals(List.of(), query(behind.one, twice), "nothing runs twice, seed " + seed);
    System.out.printf(
        "LossAtEveryByte gauss.seed=%d, %s: %d of %d scripts, %d runs without a loss, %d losses,"
            + " of which were told %s%n",
        seed, where, lost.size(), all.size(), completed, losses, told);
    // Of two runs of a script the second one is broken, unless what it sends that way is nothing.
    assertTrue(losses >= runs, () -> losses + " losses in " + 2 * runs + " runs, seed " + seed);
    assertTrue(completed >= 2 * runs, () -> completed + " complete, seed " + seed);
    for (String state : List.of("08006", "08007")) {
      int times = told.getOrDefault(state, 0);
      assertTrue(times >= runs / 10, () -> state + " " + times + " times, seed " + seed);
    }
  }

  /** Returns how many bytes have passed in that direction. */
  private long run(
      CommitScript script, Connection connection, Behind behind, boolean toServer, long most)
      throws SQLException {
    String process =
        query(connection, "SELECT '" + ByteCut.MARK + "', pg_backend_pid()")
            .getFirst()
            .split("[|]")[1];
    connection.setAutoCommit(script.autoCommit());
    ByteCut cut = cut(connection, behind);
    Connection direct = behind.of(cut);
    cut.cutAfter(toServer, most);
    Rows rows = new Rows(next);
    String state = "nothing";
    try {
      script.run(connection, rows, isSimple);
    } catch (SQLException e) {
      state = e.getSQLState();
    }
    long passed = cut.passed(toServer);
    String what = script + " " + (toServer ? "to the server" : "to the client") + " " + most;
    if (cut.isCut()) {
      losses++;
      lost.add(script);
      told.merge(state.equals("nothing") ? "rolled back" : state, 1, Integer::sum);
    } else {
      completed++;
    }
    assertTrue(List.of("nothing", "08006", "08007").contains(state), what + ": " + state);
    assertTrue(cut.isCut() || state.equals("nothing"), what + ": " + state + " without a loss");
    if (most == Long.MAX_VALUE) {
      assertEquals("nothing", state, what);
    }
    cut.cutAfter(toServer, Long.MAX_VALUE); // the byte was never sent
    goOn(connection, script, what);
    if (!state.equals("nothing")) {
      awaitEnd(direct, process);
    }
    for (int row = next; row < rows.next; row++) {
      long seen = count(direct, row);
      boolean isOpen =
          state.equals("08007") && (rows.sent.contains(row) || rows.open.contains(row));
      long least = rows.committed.contains(row) ? 1 : 0;
      assertTrue(
          seen >= least && seen <= (isOpen ? 1 : least),
          what + ", seed " + seed + ": " + state + ", but row " + row + " is there " + seen);
    }
    next = rows.next;
    return passed;
  }

  /** As an application does after an error, and before its next piece of work. */
  private void goOn(Connection connection, CommitScript script, String what) throws SQLException {
    if (script.autoCommit()) {
      execute(connection, "ROLLBACK");
    } else {
      connection.rollback();
      connection.setAutoCommit(true);
    }
    String row = "INSERT INTO seen VALUES (" + --work + ")";
    try {
      execute(connection, row);
    } catch (SQLException e) {
      throw new AssertionError(what + ", seed " + seed + ": no work after it", e);
    }
    assertEquals("", connection.unwrap(RoutedConnection.class).pinnedBy(), what);
  }
}
