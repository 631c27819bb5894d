package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;
import static io.gauss.jdbc.nodes.TwoNodes.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.nodes.Gate.Moment;
import io.gauss.jdbc.routing.Topology;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The ways to two compute nodes break, at any moment of a conversation: what the application hears,
 * and what the cluster has. A gate stands before each node; the driver knows the gates only.
 */
@Timeout(300)
class DriverFailoverTest extends OnTwoComputeNodes {
  private Gate first;
  private Gate second;

  @BeforeEach
  void openGates() throws IOException {
    first = new Gate(cluster.port(1));
    second = new Gate(cluster.port(2));
  }

  @AfterEach
  void shutGates() {
    first.close();
    second.close();
  }

  /** A connection that is on the second node shall stay there until that is lost. */
  private String url(String more) {
    String pattern =
        "jdbc:gauss://127.0.0.1:%d,127.0.0.1:%d/gauss?user=gauss&routing.discover=false"
            + "&routing.rebalanceSeconds=0&%s";
    return pattern.formatted(first.port(), second.port(), more);
  }

  private Connection onFirst(String more) throws SQLException {
    Connection connection = DriverManager.getConnection(url(more));
    assertEquals(1, self(connection));
    return connection;
  }

  private static boolean isUsable(Topology topology, Gate gate) {
    return topology.usable().stream().anyMatch(node -> node.port() == gate.port());
  }

  // ---- nothing is lost

  /** Another connection of the application has noticed. */
  @Test
  void anIdleConnectionIsReplacedSilentlyWithItsSettings() throws Exception {
    try (Connection connection = onFirst("");
        Connection other = onFirst("");
        PreparedStatement select = connection.prepareStatement("SELECT v FROM t WHERE id = ?")) {
      select.setInt(1, 3);
      select.executeQuery().close();
      execute(connection, "SET work_mem = '99kB'");
      execute(other, "BEGIN");
      first.shut();
      assertState(
          "08006",
          assertThrows(SQLException.class, () -> query(other, "SELECT v FROM t WHERE id = 1")));
      select.executeQuery().close();
      assertEquals(2, self(connection));
      assertEquals(List.of("99kB"), query(connection, "SHOW work_mem"));
    }
  }

  @Test
  void aNodeThatWasLostIsUsedAgainWhenItIsBack() throws Exception {
    try (Connection connection = onFirst("")) {
      first.shutAt("SELECT v", Moment.BEFORE_THE_SERVER_HAS_IT);
      assertThrows(SQLException.class, () -> query(connection, "SELECT v FROM t WHERE id = 1"));
      assertEquals(2, self(connection));
      first.open();
      await(connection, now -> isUsable(now, first));
      second.shutAt("SELECT v", Moment.BEFORE_THE_SERVER_HAS_IT);
      assertThrows(SQLException.class, () -> query(connection, "SELECT v FROM t WHERE id = 1"));
      assertEquals(1, self(connection));
    }
  }

  @Test
  void whenNoNodeIsThereTheErrorNamesBoth() throws Exception {
    try (Connection connection = onFirst("")) {
      first.shut();
      second.shut();
      assertThrows(SQLException.class, () -> query(connection, "SELECT v FROM t"));
      SQLException e = assertThrows(SQLException.class, () -> query(connection, "SELECT v FROM t"));
      assertTrue(e.getSQLState().startsWith("08"), e.toString());
      assertEquals(1, e.getSuppressed().length);
      assertFalse(connection.isValid(1));
      second.open();
      assertTrue(connection.isValid(10));
      assertEquals(2, self(connection));
    }
  }

  @Test
  void theMonitorEndsWithTheLastConnection() throws Exception {
    Connection one = onFirst("ApplicationName=counted");
    Connection other = onFirst("ApplicationName=counted");
    one.close();
    query(other, "SELECT v FROM t");
    other.close();
    String sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counted'";
    try (Connection direct = direct(2)) {
      while (!query(direct, sessions).equals(List.of("0"))) {
        Thread.onSpinWait();
      }
    }
  }

  // ---- in the middle of something

  @Test
  void aTransactionThatIsLostMustBeRolledBack() throws Exception {
    try (Connection connection = onFirst("")) {
      connection.setAutoCommit(false);
      execute(connection, "UPDATE t SET v = 1 WHERE id = 1");
      first.shut();
      SQLException e =
          assertThrows(
              SQLException.class, () -> execute(connection, "UPDATE t SET v = 1 WHERE id = 2"));
      assertState("08006", e);
      assertTrue(e.getMessage().contains("rolled back"), e.getMessage());
      assertState("25P02", assertThrows(SQLException.class, () -> query(connection, "SELECT 1")));
      assertState("40000", assertThrows(SQLException.class, connection::commit));
      execute(connection, "UPDATE t SET v = 2 WHERE id IN (1, 3)");
      assertEquals(2, self(connection));
      connection.commit();
      assertEquals(
          List.of("1|2", "3|2"),
          query(connection, "SELECT id, v FROM t WHERE v > 0 ORDER BY id"),
          "the other node has rolled back, and given the row");
    }
  }

  @Test
  void rollingBackIsEnoughAfterALoss() throws Exception {
    try (Connection connection = onFirst("")) {
      execute(connection, "BEGIN", "UPDATE t SET v = 1 WHERE id = 1");
      first.shut();
      assertThrows(SQLException.class, () -> query(connection, "SELECT v FROM t"));
      execute(connection, "ROLLBACK");
      assertEquals(List.of("0"), query(connection, "SELECT v FROM t WHERE id = 1"));
      assertEquals(2, self(connection));
    }
  }

  @Test
  void whatWasPinnedIsLostWithItsNode() throws Exception {
    try (Connection connection = onFirst("")) {
      execute(connection, "CREATE TEMP TABLE mine (id int)");
      first.shut();
      SQLException e =
          assertThrows(SQLException.class, () -> query(connection, "SELECT * FROM mine"));
      assertState("08006", e);
      assertTrue(e.getMessage().contains("temporary table mine"), e.getMessage());
      assertEquals(2, self(connection));
    }
  }

  @Test
  void aSessionThatAnotherNodeEndedIsReplaced() throws Exception {
    try (Connection connection = onFirst("");
        Connection other = direct(2)) {
      connection.setAutoCommit(false);
      String process = query(connection, "SELECT pg_backend_pid()").getFirst();
      assertEquals(
          List.of("t"), query(other, "SELECT pg_terminate_backend(" + process + ")"), process);
      SQLException e =
          assertThrows(
              SQLException.class,
              () -> {
                while (true) {
                  query(connection, "SELECT v FROM t");
                }
              });
      assertState("57P01", e);
      connection.rollback();
      assertEquals(List.of("0"), query(connection, "SELECT v FROM t WHERE id = 1"));
    }
  }

  // ---- what may have been committed

  @ParameterizedTest
  @EnumSource
  void ofACommitWithoutAnAnswerTheClusterTellsWhatBecameOfIt(Moment moment) throws Exception {
    boolean isCommitted = moment == Moment.AFTER_THE_SERVER_HAS_ANSWERED;
    try (Connection connection = onFirst("")) {
      connection.setAutoCommit(false);
      execute(connection, "UPDATE t SET v = 1 WHERE id = 1");
      String xid = query(connection, "SELECT gauss_current_xid()").getFirst();
      first.shutAt("COMMIT", moment);
      assertState("08007", assertThrows(SQLException.class, connection::commit));
      assertEquals(isCommitted ? "committed" : "aborted", outcome(connection, xid));
      assertEquals(
          List.of(isCommitted ? "1" : "0"), query(connection, "SELECT v FROM t WHERE id = 1"));
      assertEquals(2, self(connection));
    }
  }

  /** Wherever it stands in the text (rule 39). */
  @ParameterizedTest
  @EnumSource
  void aCommitInATextWithoutAnAnswerIsSaidToBeUnknown(Moment moment) throws Exception {
    boolean isCommitted = moment == Moment.AFTER_THE_SERVER_HAS_ANSWERED;
    try (Connection connection = onFirst("preferQueryMode=simple")) {
      connection.setAutoCommit(false);
      execute(connection, "UPDATE t SET v = 1 WHERE id = 1");
      first.shutAt("COMMIT", moment);
      assertState(
          "08007", assertThrows(SQLException.class, () -> execute(connection, "COMMIT; BEGIN")));
      connection.rollback();
      assertEquals(
          List.of(isCommitted ? "1" : "0"), query(connection, "SELECT v FROM t WHERE id = 1"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWriteInAutocommitWithoutAnAnswerIsSaidToBeUnknownAndNeverRepeated(Moment moment)
      throws Exception {
    boolean isDone = moment == Moment.AFTER_THE_SERVER_HAS_ANSWERED;
    try (Connection connection = onFirst("retry.attempts=5")) {
      first.shutAt("UPDATE", moment);
      assertState(
          "08007",
          assertThrows(
              SQLException.class,
              () -> execute(connection, "UPDATE t SET v = v + 1 WHERE id = 1")));
      assertEquals(List.of(isDone ? "1" : "0"), query(connection, "SELECT sum(v) FROM t"));
      assertEquals(2, self(connection));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReadInAutocommitWithoutAnAnswerCanBeRepeated(Moment moment) throws Exception {
    try (Connection connection = onFirst("")) {
      first.shutAt("SELECT v", moment);
      assertState(
          "08006",
          assertThrows(
              SQLException.class, () -> query(connection, "SELECT v FROM t WHERE id = 1")));
      assertEquals(List.of("0"), query(connection, "SELECT v FROM t WHERE id = 1"));
    }
  }

  // ---- retries

  /** Waits for a row that a transaction of the other node changes: 40001 in REPEATABLE READ. */
  private SQLException conflict(String properties, ExecutorService executor) throws Exception {
    try (Connection holder = direct(2);
        Connection connection = onFirst(properties)) {
      holder.setAutoCommit(false);
      execute(holder, "UPDATE t SET v = 1 WHERE id = 1");
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      Future<SQLException> update =
          executor.submit(
              () -> {
                try {
                  execute(connection, "UPDATE t SET v = v + 10 WHERE id = 1");
                  return null;
                } catch (SQLException e) {
                  return e;
                }
              });
      try (Connection other = direct(1)) {
        while (query(other, "SELECT 1 FROM pg_locks WHERE NOT granted").isEmpty()) {
          Thread.onSpinWait();
        }
      }
      holder.commit();
      return update.get();
    }
  }

  @Test
  void aStatementThatOthersRolledBackIsRepeatedForThoseWhoAskForIt() throws Exception {
    try (ExecutorService executor = Executors.newSingleThreadExecutor();
        Connection other = direct(1)) {
      assertState("40001", conflict("", executor));
      assertEquals(List.of("1"), query(other, "SELECT v FROM t WHERE id = 1"));
      assertNull(conflict("retry.attempts=3", executor));
      assertEquals(List.of("11"), query(other, "SELECT v FROM t WHERE id = 1"));
    }
  }

  @Test
  void aTransactionIsNeverRepeated() throws Exception {
    try (Connection holder = direct(2);
        Connection connection = onFirst("retry.attempts=3")) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      query(connection, "SELECT v FROM t");
      execute(holder, "UPDATE t SET v = 1 WHERE id = 1");
      assertState(
          "40001",
          assertThrows(
              SQLException.class, () -> execute(connection, "UPDATE t SET v = 2 WHERE id = 1")));
    }
  }
}
