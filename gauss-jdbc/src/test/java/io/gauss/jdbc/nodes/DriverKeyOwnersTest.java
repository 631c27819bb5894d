package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;
import static io.gauss.jdbc.nodes.TwoNodes.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.routing.PageGroups;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.jdbc.RoutedConnection;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.RoutingTable;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Keys that nobody has seen: table {@code k} has rows 1 to 20,000, of which node 1 has loaded the
 * lower half and node 2 the upper one, and each is to own what it has loaded. What is published
 * besides knows no statement.
 */
@Timeout(300)
class DriverKeyOwnersTest extends OnTwoComputeNodes {
  private static final String UPDATE = "UPDATE k SET v = v + 1 WHERE id = ?";
  private static final int HALF = 10_000;
  private static final String NONE = "none";

  private int urls;

  @BeforeAll
  void load() throws SQLException {
    String insert = "INSERT INTO k SELECT i, 0, repeat('x', 100) FROM generate_series(%d, %d) i";
    try (Connection one = direct(1);
        Connection two = direct(2)) {
      execute(
          one,
          "CREATE TABLE k (id bigint PRIMARY KEY, v int, note text)",
          "CREATE TABLE pairs (a int, b int, note text, PRIMARY KEY (a, b))",
          "CREATE TABLE loose (id int, v int)",
          "CREATE ROLE stranger LOGIN",
          "INSERT INTO pairs SELECT i / 5000, i, repeat('x', 100) FROM generate_series(1, 20000) i",
          insert.formatted(1, HALF));
      execute(two, insert.formatted(HALF + 1, 2 * HALF));
    }
    Map<Long, GroupOwners.Place> places = new HashMap<>();
    for (int number = 1; number <= 2; number++) {
      ComputeNode node = cluster.node(number);
      int slot = node.transactions().node();
      node.engine()
          .pool()
          .moves()
          .forEachOwned(
              (page, lsn) -> places.put(PageGroups.of(page), new GroupOwners.Place(slot, 0, 1)));
    }
    cluster.node(1).routing().publish(7, null, table(), null, GroupOwners.of(places));
    while (cluster.node(2).routing().published().version() != 7) {
      Thread.onSpinWait();
    }
  }

  /** It knows one template that nobody uses. */
  private static byte[] table() {
    return Publication.write(
        new RoutingTable(
            7,
            List.of(
                new RoutingTable.Entry(
                    1,
                    1,
                    0,
                    ColumnProfile.Kind.NUMBER,
                    "",
                    new double[] {0},
                    new short[] {1, 2}))));
  }

  private Connection connect(String more) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:gauss://127.0.0.1:%d,127.0.0.1:%d/gauss?user=gauss&ApplicationName=owners%d%s"
            .formatted(cluster.port(1), cluster.port(2), ++urls, more));
  }

  private static Decision update(Connection connection, long id) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(UPDATE)) {
      update.setLong(1, id);
      assertEquals(1, update.executeUpdate());
    }
    return connection.unwrap(RoutedConnection.class).lastDecision();
  }

  private static String owners(Connection connection, String table, String column, Object value)
      throws SQLException {
    return query(
            connection,
            "SELECT coalesce(gauss_key_owners('%s', '%s', '%s'), '%s')"
                .formatted(table, column, value, NONE))
        .getFirst();
  }

  @Test
  void transactionsGoWhereTheRowsOfTheirKeysAre() throws SQLException {
    try (Connection connection = connect("&routing.mode=table")) {
      while (update(connection, 5).cause() != Decision.Cause.OWNER
          || update(connection, 2 * HALF - 5).cause() != Decision.Cause.OWNER) {
        Thread.onSpinWait();
      }
      for (long id : new long[] {1, 77, 4_000}) {
        Decision decision = update(connection, id);
        while (decision.cause() != Decision.Cause.OWNER) {
          decision = update(connection, id);
        }
        assertEquals(1, decision.node().number(), decision.toString());
        assertEquals(1, connection.unwrap(RoutedConnection.class).node().number());
      }
      for (long id : new long[] {2 * HALF - 1, 16_000, 19_000}) {
        Decision decision = update(connection, id);
        while (decision.cause() != Decision.Cause.OWNER) {
          decision = update(connection, id);
        }
        assertEquals(2, decision.node().number(), decision.toString());
      }
      RoutedConnection routed = connection.unwrap(RoutedConnection.class);
      assertTrue(routed.routerReport().owned() > 0);
      assertTrue(routed.lastRoute().contains("Owner of the key: node 2"), routed.lastRoute());
    }
  }

  @Test
  void nothingIsAskedWhenItIsOff() throws SQLException {
    try (Connection connection = connect("&routing.mode=table&routing.owners=off")) {
      RoutedConnection routed = connection.unwrap(RoutedConnection.class);
      while (routed.routerReport().version() != 7) {
        update(connection, 5);
      }
      for (int i = 0; i < 100; i++) {
        assertEquals(Decision.Cause.FIRST_VALUE, update(connection, 5).cause());
      }
      assertEquals(0, routed.routerReport().owned());
    }
    SQLException e =
        assertThrows(
            SQLException.class, () -> connect("&routing.mode=table&routing.owners=perhaps"));
    assertEquals("22023", e.getSQLState());
  }

  @Test
  void everyNodeTellsTheSame() throws SQLException {
    try (Connection one = direct(1);
        Connection two = direct(2)) {
      String told = known(one, "k", "id", 3000);
      assertTrue(told.startsWith("number\n"), told);
      assertTrue(told.contains("\t1\n"), told);
      assertEquals(told, known(two, "k", "id", 3000));
      assertEquals(told, known(two, "public.k", "#1", 3000));
      assertEquals("number\n", owners(one, "k", "id", "no number"));
    }
  }

  /** A page that is not here comes after the question. */
  private static String known(Connection connection, String table, String column, Object value)
      throws SQLException {
    String told = owners(connection, table, column, value);
    while (told.equals("number\n")) {
      told = owners(connection, table, column, value);
    }
    return told;
  }

  @Test
  void onlyTheFirstColumnOfAPrimaryKeyTells() throws SQLException {
    try (Connection connection = direct(1)) {
      assertTrue(known(connection, "pairs", "a", 2).contains("\t1\n"));
      assertEquals(NONE, owners(connection, "pairs", "b", 2));
      assertEquals(NONE, owners(connection, "k", "v", 2));
      assertEquals(NONE, owners(connection, "k", "nothing", 2));
      assertEquals(NONE, owners(connection, "loose", "id", 2));
      assertEquals(NONE, owners(connection, "t", "id", 2), "a few pages are shared by all");
      assertEquals(NONE, owners(connection, "pg_class", "oid", 2));
      assertEquals(NONE, owners(connection, "nowhere", "id", 2));
    }
  }

  @Test
  void onlyThoseWhoMayReadTheTableAreTold() throws SQLException {
    try (Connection stranger =
        DriverManager.getConnection(cluster.url(1).replace("user=gauss", "user=stranger"))) {
      SQLException e = assertThrows(SQLException.class, () -> owners(stranger, "k", "id", 5));
      assertState("42501", e);
      try (Connection connection = direct(1)) {
        execute(connection, "GRANT SELECT ON k TO stranger");
      }
      assertTrue(known(stranger, "k", "id", 5).contains("\t1\n"));
    }
  }
}
