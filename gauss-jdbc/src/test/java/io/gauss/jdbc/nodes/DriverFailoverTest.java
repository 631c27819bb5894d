package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;
import static io.gauss.jdbc.nodes.TwoNodes.node;
import static io.gauss.jdbc.nodes.TwoNodes.onNode;
import static io.gauss.jdbc.nodes.TwoNodes.process;
import static io.gauss.jdbc.nodes.TwoNodes.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.RoutedConnection;
import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Topology;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes are lost, come back, join and leave. */
class DriverFailoverTest {
  private TwoNodes nodes;

  @BeforeEach
  void start() throws Exception {
    nodes = new TwoNodes();
  }

  @AfterEach
  void stop() throws SQLException {
    nodes.close();
  }

  private static String state(SQLException e) {
    return e.getSQLState();
  }

  private static void await(Connection connection, Predicate<Topology> condition)
      throws SQLException {
    RoutedConnection routed = connection.unwrap(RoutedConnection.class);
    while (!condition.test(routed.topology())) {
      Thread.onSpinWait();
    }
  }

  /** A connection that is on the first node, wherever it was opened. */
  private Connection onFirst(String more) throws SQLException {
    Connection connection = nodes.connect(more);
    await(connection, topology -> topology.byNumber(1) != null && topology.byNumber(1).isUsable());
    query(connection, TwoNodes.onNode(1, "SELECT v FROM t"));
    assertEquals(1, node(connection));
    return connection;
  }

  // ---- what is lost, and what the application hears

  @Test
  void anIdleConnectionIsReplacedSilentlyWithItsSettings() throws Exception {
    try (Connection connection = onFirst("");
        PreparedStatement select = connection.prepareStatement("SELECT v FROM t WHERE id = ?")) {
      select.setInt(1, 3);
      select.executeQuery().close();
      execute(connection, "SET work_mem = '99kB'");
      nodes.first.shut();
      await(connection, now -> now.usable().size() == 1);
      select.executeQuery().close();
      assertEquals(2, node(connection));
      assertEquals(List.of("99kB"), query(connection, "SHOW work_mem"));
    }
  }

  @Test
  void aTransactionThatIsLostMustBeRolledBack() throws Exception {
    try (Connection connection = onFirst("")) {
      connection.setAutoCommit(false);
      execute(connection, "UPDATE t SET v = 1 WHERE id = 1");
      nodes.first.shut();
      SQLException e =
          assertThrows(
              SQLException.class, () -> execute(connection, "UPDATE t SET v = 1 WHERE id = 2"));
      assertEquals("08006", state(e));
      assertTrue(e.getMessage().contains("rolled back"), e.getMessage());
      assertEquals(
          "25P02", state(assertThrows(SQLException.class, () -> query(connection, "SELECT 1"))));
      assertEquals("40000", state(assertThrows(SQLException.class, connection::commit)));
      execute(connection, "UPDATE t SET v = 2 WHERE id = 3");
      connection.commit();
      assertEquals(2, node(connection));
      assertEquals(List.of("3|2"), query(connection, "SELECT id, v FROM t WHERE v > 0"));
    }
  }

  @Test
  void rollingBackIsEnoughAfterALoss() throws Exception {
    try (Connection connection = onFirst("")) {
      execute(connection, "BEGIN", "UPDATE t SET v = 1 WHERE id = 1");
      nodes.first.shut();
      assertThrows(SQLException.class, () -> query(connection, "SELECT v FROM t"));
      execute(connection, "ROLLBACK");
      assertEquals(List.of("0"), query(connection, "SELECT v FROM t WHERE id = 1"));
      assertEquals(2, node(connection));
    }
  }

  @Test
  void aCommitThatMayHaveHappenedIsSaidToBeUnknown() throws Exception {
    try (Connection connection = onFirst("")) {
      connection.setAutoCommit(false);
      execute(connection, "UPDATE t SET v = 1 WHERE id = 1");
      nodes.first.shutAfter("COMMIT");
      assertEquals("08007", state(assertThrows(SQLException.class, connection::commit)));
      query(connection, "SELECT v FROM t WHERE id = 1");
      assertEquals(2, node(connection));
      connection.rollback();
    }
  }

  @Test
  void aWriteInAutocommitThatMayHaveHappenedIsSaidToBeUnknown() throws Exception {
    try (Connection connection = onFirst("retry.attempts=5")) {
      query(connection, "SELECT v FROM t");
      nodes.first.shutAfter("UPDATE");
      assertEquals(
          "08007",
          state(
              assertThrows(
                  SQLException.class, () -> execute(connection, "UPDATE t SET v = v + 1"))));
      assertTrue(
          Integer.parseInt(query(connection, "SELECT max(v) FROM t").get(0)) <= 1, "not repeated");
    }
  }

  @Test
  void aReadInAutocommitThatBreaksCanBeRepeated() throws Exception {
    try (Connection connection = onFirst("")) {
      nodes.first.shutAfter("SELECT v");
      assertEquals(
          "08006",
          state(
              assertThrows(
                  SQLException.class, () -> query(connection, "SELECT v FROM t WHERE id = 1"))));
      assertEquals(List.of("0"), query(connection, "SELECT v FROM t WHERE id = 1"));
    }
  }

  @Test
  void whatWasPinnedIsLostWithItsNode() throws Exception {
    try (Connection connection = onFirst("")) {
      execute(connection, "CREATE TEMP TABLE mine (id int)");
      nodes.first.shut();
      SQLException e =
          assertThrows(SQLException.class, () -> query(connection, "SELECT * FROM mine"));
      assertEquals("08006", state(e));
      assertTrue(e.getMessage().contains("temporary table mine"), e.getMessage());
      assertEquals(List.of("0"), query(connection, "SELECT v FROM t WHERE id = 1"));
    }
  }

  @Test
  void whenNoNodeIsThereTheErrorNamesBoth() throws Exception {
    try (Connection connection = onFirst("")) {
      nodes.first.shut();
      nodes.second.shut();
      assertThrows(SQLException.class, () -> query(connection, "SELECT v FROM t"));
      SQLException e = assertThrows(SQLException.class, () -> query(connection, "SELECT v FROM t"));
      assertTrue(state(e).startsWith("08"), state(e));
      assertEquals(1, e.getSuppressed().length);
      assertFalse(connection.isValid(1));
      nodes.second.open();
      assertTrue(connection.isValid(10));
      assertEquals(List.of("0"), query(connection, "SELECT v FROM t WHERE id = 1"));
    }
  }

  @Test
  void aSessionThatTheServerEndedIsReplaced() throws Exception {
    try (Connection connection = onFirst("")) {
      connection.setAutoCommit(false);
      int process = process(connection, 1);
      nodes.tell("SELECT pg_terminate_backend(" + process + ", 10000)");
      assertEquals(
          "57P01",
          state(assertThrows(SQLException.class, () -> query(connection, "SELECT v FROM t"))));
      connection.rollback();
      assertEquals(List.of("0"), query(connection, "SELECT v FROM t WHERE id = 1"));
    }
  }

  // ---- nodes that come and go

  @Test
  void aNodeThatTheUrlDoesNotNameIsFoundAndUsed() throws Exception {
    try (Connection connection = DriverManager.getConnection(nodes.urlOfFirst(""))) {
      await(connection, now -> now.usable().size() == 2);
      query(connection, onNode(2, "SELECT v FROM t"));
      assertEquals(2, node(connection));
    }
  }

  @Test
  void aNodeThatDrainsIsLeftAtTheEndOfTheTransaction() throws Exception {
    try (Connection connection = onFirst("")) {
      connection.setAutoCommit(false);
      execute(connection, "UPDATE t SET v = 1 WHERE id = 1");
      nodes.tell("UPDATE gauss.nodes SET state = 'DRAINING' WHERE id = 1");
      await(connection, now -> now.byNumber(1).state() == ClusterNode.State.DRAINING);
      execute(connection, "UPDATE t SET v = 1 WHERE id = 2");
      assertEquals(1, node(connection));
      connection.commit();
      assertEquals(List.of("2"), query(connection, "SELECT sum(v) FROM t"));
      assertEquals(2, node(connection));
      nodes.tell("UPDATE gauss.nodes SET state = 'UP' WHERE id = 1");
      await(connection, now -> now.byNumber(1).isUsable());
      connection.commit();
      query(connection, onNode(1, "SELECT v FROM t"));
      assertEquals(1, node(connection));
    }
  }

  @Test
  void aNodeThatIsLostIsUsedAgainWhenItIsBack() throws Exception {
    try (Connection connection = onFirst("")) {
      nodes.second.shut();
      query(connection, onNode(2, "SELECT v FROM t"));
      assertEquals(1, node(connection));
      await(connection, now -> !now.byNumber(2).isUsable());
      nodes.second.open();
      await(connection, now -> now.byNumber(2).isUsable());
      query(connection, onNode(2, "SELECT v FROM t"));
      assertEquals(2, node(connection));
    }
  }

  @Test
  void theMonitorEndsWithTheLastConnection() throws Exception {
    Connection one = onFirst("ApplicationName=counted");
    Connection other = onFirst("ApplicationName=counted");
    await(one, now -> now.byNumber(2) != null);
    one.close();
    query(other, "SELECT v FROM t");
    other.close();
    String sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counted'";
    try (Connection direct = nodes.direct()) {
      while (!query(direct, sessions).equals(List.of("0"))) {
        Thread.onSpinWait();
      }
    }
  }

  // ---- retries

  /** A statement waits for a row that another transaction changes: 40001 in REPEATABLE READ. */
  private SQLException conflict(String properties, ExecutorService executor) throws Exception {
    try (Connection holder = nodes.direct();
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
      try (Connection direct = nodes.direct()) {
        while (query(direct, "SELECT 1 FROM pg_locks WHERE NOT granted").isEmpty()) {
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
        Connection direct = nodes.direct()) {
      assertEquals("40001", state(conflict("", executor)));
      assertEquals(List.of("1"), query(direct, "SELECT v FROM t WHERE id = 1"));
      assertNull(conflict("retry.attempts=3", executor));
      assertEquals(List.of("11"), query(direct, "SELECT v FROM t WHERE id = 1"));
    }
  }

  @Test
  void aTransactionIsNeverRepeated() throws Exception {
    try (Connection holder = nodes.direct();
        Connection connection = onFirst("retry.attempts=3")) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      query(connection, "SELECT v FROM t");
      execute(holder, "UPDATE t SET v = 1 WHERE id = 1");
      assertEquals(
          "40001",
          state(
              assertThrows(
                  SQLException.class,
                  () -> execute(connection, "UPDATE t SET v = 2 WHERE id = 1"))));
    }
  }
}
