package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;
import static io.gauss.jdbc.nodes.TwoNodes.query;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.node.WholeCluster;
import io.gauss.jdbc.RoutedConnection;
import io.gauss.jdbc.routing.Topology;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests with a cluster of Gauss: a storage node, a memory node, and compute nodes 1 and 2, for all
 * tests of a class. Table {@code t} has rows 1 to 20, whose {@code v} is 0 when a test begins.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnTwoComputeNodes {
  /** Which node runs this, by its own word. */
  static final String SELF = "SELECT id FROM gauss.nodes WHERE pid IS NOT NULL";

  WholeCluster cluster;

  @BeforeAll
  void startCluster(@TempDir Path directory) throws Exception {
    cluster = new WholeCluster(directory, 1, 1, 2, Map.of());
    try (Connection connection = direct(1)) {
      execute(
          connection,
          "CREATE TABLE t (id int PRIMARY KEY, v int)",
          "INSERT INTO t SELECT i, 0 FROM generate_series(1, 20) i");
    }
  }

  @AfterAll
  void stopCluster() {
    cluster.close();
  }

  /** Waits for whatever a test before has left to be rolled back. */
  @BeforeEach
  void reset() throws SQLException {
    try (Connection connection = direct(1)) {
      execute(connection, "UPDATE t SET v = 0");
    }
  }

  /** To one node, by PostgreSQL's own driver. */
  Connection direct(int node) throws SQLException {
    return DriverManager.getConnection(cluster.url(node));
  }

  /** The node that executes the connection's statements, by its own word, which is the driver's. */
  static int self(Connection connection) throws SQLException {
    return Integer.parseInt(query(connection, SELF).getFirst());
  }

  /** What became of a transaction, as the connection's node finds out, once that is final. */
  static String outcome(Connection connection, String xid) throws SQLException {
    String outcome = "in progress";
    while (outcome.equals("in progress")) {
      outcome = query(connection, "SELECT gauss_txn_status(" + xid + ")").getFirst();
    }
    return outcome;
  }

  static void await(Connection connection, Predicate<Topology> condition) throws SQLException {
    RoutedConnection routed = connection.unwrap(RoutedConnection.class);
    while (!condition.test(routed.topology())) {
      Thread.onSpinWait();
    }
  }

  static void assertState(String state, SQLException e) {
    assertEquals(state, e.getSQLState(), e.toString());
  }
}
