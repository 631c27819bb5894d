package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.RoutedConnection;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an application with Gauss's driver hears when a compute node's process is killed. */
@Tag("long")
class DriverKillTest {
  private static final int KILLED = 2;
  private static final String ON_KILLED = "/*+ node(" + KILLED + ") */ ";

  @TempDir private Path directory;

  @Test
  @Timeout(300)
  void anApplicationContinuesOnAnotherNodeAndUsesTheKilledOneWhenItIsBack() throws Exception {
    try (ClusterProcesses cluster =
        new ClusterProcesses(directory, Map.of("pool.size", "32MB"), Map.of(), 2, 1)) {
      cluster.start();
      String url = cluster.url().replace("&routing.mode=off", "");
      try (Connection idle = DriverManager.getConnection(url);
          Connection busy = DriverManager.getConnection(url);
          Connection working = DriverManager.getConnection(url)) {
        execute(busy, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 0)");
        awaitNode(busy);
        for (Connection connection : new Connection[] {idle, busy, working}) {
          assertEquals(KILLED, self(connection, ON_KILLED));
        }
        busy.setAutoCommit(false);
        execute(busy, ON_KILLED + "UPDATE t SET v = v + 1");
        cluster.killCompute(KILLED);

        assertEquals("08006", failure(working, "SELECT v FROM t").getSQLState());
        assertEquals(1, self(idle, ""), "nothing was lost");
        assertEquals("08006", failure(busy, "SELECT v FROM t").getSQLState());
        assertEquals("25P02", failure(busy, "SELECT v FROM t").getSQLState());
        busy.rollback();
        execute(busy, "UPDATE t SET v = v + 10"); // once the killed transaction is rolled back
        assertEquals(1, self(busy, ""));
        busy.commit();
        assertEquals(10, number(working, "SELECT v FROM t"));

        cluster.startCompute(KILLED);
        awaitNode(working);
        assertEquals(KILLED, self(working, ON_KILLED));
      }
    }
  }

  private static void awaitNode(Connection connection) throws SQLException {
    RoutedConnection routed = connection.unwrap(RoutedConnection.class);
    while (routed.topology().usable().stream().noneMatch(n -> n.number() == KILLED)) {
      Thread.onSpinWait();
    }
  }

  /** The node that runs it, by its own word. */
  private static int self(Connection connection, String hint) throws SQLException {
    return number(connection, hint + "SELECT id FROM gauss.nodes WHERE pid IS NOT NULL");
  }

  private static SQLException failure(Connection connection, String text) {
    return assertThrows(SQLException.class, () -> number(connection, text));
  }

  private static int number(Connection connection, String text) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(text)) {
      assertTrue(row.next());
      return row.getInt(1);
    }
  }

  private static void execute(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }
}
