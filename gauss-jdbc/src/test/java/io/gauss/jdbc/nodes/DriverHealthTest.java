package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.jdbc.RoutedConnection;
import io.gauss.jdbc.nodes.Gate.Moment;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What broken sockets and refusals mean for other connections of the process. */
@Timeout(120)
class DriverHealthTest {
  private static final String PROCESS = "SELECT pg_backend_pid() FROM t WHERE id = 1";

  private TwoNodes nodes;

  @BeforeEach
  void start() throws Exception {
    nodes = new TwoNodes();
  }

  @AfterEach
  void stop() throws SQLException {
    nodes.close();
  }

  private static int port(Connection connection) throws SQLException {
    return connection.unwrap(RoutedConnection.class).node().port();
  }

  private static boolean isUsable(Connection connection, Gate gate) throws SQLException {
    return connection.unwrap(RoutedConnection.class).topology().usable().stream()
        .anyMatch(node -> node.port() == gate.port());
  }

  private List<Connection> pool(int size, String properties) throws SQLException {
    List<Connection> pool = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      pool.add(nodes.connect(properties));
    }
    return pool;
  }

  private static void close(List<Connection> pool) throws SQLException {
    for (Connection connection : pool) {
      connection.close();
    }
  }

  /** How many of them are on this node, after a statement on each. */
  private static int on(Gate gate, List<Connection> pool) throws SQLException {
    int count = 0;
    for (Connection connection : pool) {
      query(connection, "SELECT v FROM t WHERE id = 1");
      count += port(connection) == gate.port() ? 1 : 0;
    }
    return count;
  }

  /** New connections are opened to the first node again. */
  private void awaitNewOnFirst(String properties) throws SQLException {
    int port = 0;
    while (port != nodes.first.port()) {
      try (Connection more = nodes.connect(properties)) {
        port = port(more);
      }
    }
  }

  @Test
  void oneBrokenSocketMovesNobodyElse() throws Exception {
    String properties = "routing.discover=false&routing.rebalanceSeconds=0";
    try (Connection broken = nodes.connect(properties);
        Connection other = nodes.connect(properties)) {
      List<String> process = query(other, PROCESS);
      int before = nodes.first.accepted();
      nodes.first.shutAt("broken", Moment.OF_ONE_CONNECTION);
      assertThrows(SQLException.class, () -> query(broken, "SELECT 'broken' FROM t"));
      assertEquals(process, query(other, PROCESS));
      while (nodes.first.accepted() == before) { // until it is probed
        assertEquals(process, query(other, PROCESS));
      }
      assertEquals(process, query(other, PROCESS));
      awaitNewOnFirst(properties);
    }
  }

  @Test
  void aFullNodeKeepsItsConnectionsAndGetsNewOnesLater() throws Exception {
    String properties = "routing.discover=false&routing.rebalanceSeconds=0";
    try (Connection before = nodes.connect(properties)) {
      List<String> process = query(before, PROCESS);
      nodes.first.full(true);
      for (int i = 0; i < 5; i++) {
        try (Connection more = nodes.connect(properties)) {
          assertEquals(nodes.second.port(), port(more));
          assertEquals(process, query(before, PROCESS));
        }
      }
      while (nodes.first.refused() < 3) {
        assertEquals(process, query(before, PROCESS));
      }
      nodes.first.full(false);
      awaitNewOnFirst(properties);
      assertEquals(process, query(before, PROCESS));
    }
  }

  @Test
  void connectionsThatStayComeBackWithTheirNode() throws Exception {
    List<Connection> pool = pool(6, "routing.mode=sticky&routing.rebalanceSeconds=1");
    try {
      assertEquals(3, on(nodes.first, pool));
      nodes.first.shut();
      for (Connection connection : pool) {
        while (isUsable(connection, nodes.first)) {
          Thread.onSpinWait();
        }
        assertEquals(true, connection.isValid(10));
      }
      assertEquals(0, on(nodes.first, pool));
      nodes.first.open();
      int back = 0;
      while (back < 3) {
        int now = on(nodes.first, pool);
        assertEquals(Math.max(back, now), now, "none goes to and fro");
        back = now;
      }
      assertEquals(3, on(nodes.first, pool));
    } finally {
      close(pool);
    }
  }
}
