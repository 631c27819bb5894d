package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;
import static io.gauss.jdbc.nodes.TwoNodes.onNode;
import static io.gauss.jdbc.nodes.TwoNodes.process;
import static io.gauss.jdbc.nodes.TwoNodes.query;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.GaussDataSource;
import io.gauss.jdbc.RoutedConnection;
import java.io.ByteArrayInputStream;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.ShardingKey;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.postgresql.PGConnection;

/** Where statements go, and what goes with them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DriverRoutingTest {
  private TwoNodes nodes;

  @BeforeAll
  void start() throws Exception {
    nodes = new TwoNodes();
  }

  @AfterAll
  void stop() throws SQLException {
    nodes.close();
  }

  @BeforeEach
  void reset() throws SQLException {
    nodes.tell("UPDATE t SET v = 0");
  }

  private static String pinnedBy(Connection connection) throws SQLException {
    return connection.unwrap(RoutedConnection.class).pinnedBy();
  }

  // ---- choosing

  @Test
  void aConnectionTellsWhyItIsWhereItIs() throws SQLException {
    try (Connection connection = nodes.connect("routing.mode=model");
        PreparedStatement one = connection.prepareStatement("SELECT v FROM t WHERE id = ?")) {
      RoutedConnection routed = connection.unwrap(RoutedConnection.class);
      assertTrue(routed.lastRoute().endsWith("Nothing was routed yet"), routed.lastRoute());
      one.setInt(1, 3);
      one.executeQuery().close();
      String decision = "node " + TwoNodes.node(connection) + " (" + routed.node().address() + ")";
      List<String> lines = routed.lastRoute().lines().toList();
      assertEquals("Connection: on " + decision + ", routing.mode=model", lines.get(0));
      assertEquals(
          "Last decision: " + decision + ", model: does not know; by the first value",
          lines.get(1));
      assertTrue(lines.contains("  Predicate: t.id = 3"), routed.lastRoute());
      assertTrue(lines.contains("Model: none is published yet"), routed.lastRoute());
      assertEquals("Decision: " + decision + ", by the first value", lines.getLast());
      query(connection, onNode(2, "SELECT v FROM t WHERE id = 3"));
      assertTrue(routed.lastRoute().contains("hint in the statement"), routed.lastRoute());
    }
  }

  @Test
  void eachNodeGetsAConnectionWhenItIsFirstWanted() throws Exception {
    int before = nodes.second.accepted();
    try (Connection connection = nodes.connect("routing.discover=false")) {
      query(connection, "SELECT v FROM t WHERE id = 1");
      assertEquals(before, nodes.second.accepted());
    }
    try (Connection connection = nodes.connect("")) {
      assertNotEquals(process(connection, 1), process(connection, 2));
      assertEquals(process(connection, 2), process(connection, 2));
      assertTrue(nodes.second.accepted() > before);
    }
  }

  @Test
  void connectionsThatStayAreDealtOutToAllNodes() throws SQLException {
    List<Connection> pool = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        pool.add(nodes.connect("routing.mode=sticky"));
      }
      int[] on = new int[3];
      for (Connection connection : pool) {
        query(connection, "SELECT v FROM t WHERE id = 1");
        on[TwoNodes.node(connection)]++;
      }
      assertArrayEquals(new int[] {0, 2, 2}, on);
    } finally {
      for (Connection connection : pool) {
        connection.close();
      }
    }
  }

  /** As those that a pool's threads open at once. */
  @Test
  void connectionsFromBeforeTheNodesWereKnownAreDealtOutToo() throws SQLException {
    try (Connection known = nodes.connect("routing.mode=sticky&ApplicationName=known")) {
      nodes.tell("ALTER TABLE gauss.nodes RENAME TO hidden");
      try (Connection one = nodes.connect("routing.mode=sticky&ApplicationName=new");
          Connection other = nodes.connect("routing.mode=sticky&ApplicationName=new")) {
        query(one, "SELECT v FROM t WHERE id = 1");
        query(other, "SELECT v FROM t WHERE id = 1");
        assertNotEquals(port(one), port(other));
        assertEquals(nodes.first.port(), port(known));
      } finally {
        nodes.tell("ALTER TABLE gauss.hidden RENAME TO nodes");
      }
    }
  }

  private static int port(Connection connection) throws SQLException {
    return connection.unwrap(RoutedConnection.class).node().port();
  }

  @Test
  void aTransactionStaysWhereItsFirstStatementWent() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      int second = process(connection, 2);
      connection.setAutoCommit(false);
      execute(connection, onNode(2, "UPDATE t SET v = 1 WHERE id = 1"));
      assertEquals(second, process(connection, 1));
      connection.commit();
      assertNotEquals(second, process(connection, 1));
      connection.rollback();
    }
  }

  @Test
  void aTransactionThatBeganByBeginStaysToo() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      int second = process(connection, 2);
      execute(connection, "BEGIN", onNode(2, "UPDATE t SET v = 1 WHERE id = 1"));
      assertEquals(second, process(connection, 1));
      execute(connection, "ROLLBACK");
      assertNotEquals(second, process(connection, 1));
      assertEquals(List.of("0"), query(connection, "SELECT v FROM t WHERE id = 1"));
    }
  }

  @Test
  void randomRoutingReachesAllNodes() throws SQLException {
    try (Connection connection = nodes.connect("routing.mode=random")) {
      Set<String> processes = new HashSet<>();
      for (int i = 0; i < 100; i++) {
        processes.addAll(query(connection, "SELECT pg_backend_pid() FROM t WHERE id = 1"));
      }
      assertEquals(2, processes.size());
    }
  }

  @Test
  void theServerIsToldHowNodesAreChosen() throws SQLException {
    try (Connection connection = nodes.connect("routing.mode=random")) {
      for (int node = 1; node <= 2; node++) {
        String shown = onNode(node, "SELECT current_setting('gauss.routing') FROM t WHERE id = 1");
        assertEquals(List.of("random"), query(connection, shown));
      }
    }
  }

  @Test
  void statementsThatTellNothingDoNotDecide() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      int first = process(connection, 1);
      int second = process(connection, 2);
      process(connection, 1);
      connection.setAutoCommit(false);
      execute(connection, "SET LOCAL work_mem = '77kB'", "SELECT 1", "SHOW work_mem");
      assertEquals(first, process(connection, 1));
      connection.rollback();
      execute(connection, "SET LOCAL work_mem = '77kB'", "SELECT 1");
      assertEquals(second, process(connection, 2));
      assertEquals(List.of("77kB"), query(connection, "SHOW work_mem"));
      connection.commit();
      assertEquals(List.of("4MB"), query(connection, "SHOW work_mem"));
    }
  }

  @Test
  void aRolledBackSetIsUndoneEverywhere() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      connection.setAutoCommit(false);
      execute(connection, "SET work_mem = '99kB'");
      process(connection, 2);
      assertEquals(List.of("99kB"), query(connection, "SHOW work_mem"));
      connection.rollback();
      for (int node : List.of(1, 2)) {
        process(connection, node);
        assertEquals(List.of("4MB"), query(connection, "SHOW work_mem"));
        connection.rollback();
      }
      Savepoint savepoint = connection.setSavepoint();
      execute(connection, "SET work_mem = '88kB'");
      connection.rollback(savepoint);
      connection.commit();
      process(connection, 2);
      assertEquals(List.of("4MB"), query(connection, "SHOW work_mem"));
    }
  }

  // ---- what follows

  @Test
  void settingsFollow() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      process(connection, 2);
      process(connection, 1);
      execute(connection, "SET TIME ZONE 'Asia/Tokyo'", "SET work_mem TO '99kB'");
      execute(connection, "CREATE SCHEMA IF NOT EXISTS other");
      connection.setSchema("other");
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setClientInfo("ApplicationName", "follower");
      connection.setNetworkTimeout(Runnable::run, 50_000);
      connection.setReadOnly(true);
      process(connection, 2);
      assertEquals(List.of("Asia/Tokyo"), query(connection, "SHOW timezone"));
      assertEquals(List.of("99kB"), query(connection, "SHOW work_mem"));
      assertEquals("other", connection.getSchema());
      assertEquals(Connection.TRANSACTION_REPEATABLE_READ, connection.getTransactionIsolation());
      assertEquals(List.of("follower"), query(connection, "SHOW application_name"));
      assertEquals(50_000, connection.getNetworkTimeout());
      connection.setAutoCommit(false);
      assertEquals(
          "25006",
          assertThrows(
                  SQLException.class,
                  () -> execute(connection, onNode(2, "UPDATE public.t SET v = 1")))
              .getSQLState());
      connection.rollback();
      connection.setAutoCommit(true);
      execute(connection, "DISCARD ALL");
      process(connection, 1);
      assertEquals(List.of("4MB"), query(connection, "SHOW work_mem"));
    }
  }

  @Test
  void preparedStatementsTakeTheirParametersAlong() throws SQLException {
    try (Connection connection = nodes.connect("");
        PreparedStatement update = connection.prepareStatement("UPDATE t SET v = ? WHERE id = ?")) {
      update.setInt(1, 7);
      update.setInt(2, 3);
      update.setQueryTimeout(30);
      connection.setClientInfo("gauss.node", "2");
      assertEquals(1, update.executeUpdate());
      update.setInt(2, 4); // the other one stays
      connection.setClientInfo("gauss.node", "1");
      assertEquals(1, update.executeUpdate());
      update.clearParameters();
      update.setObject(2, 5, Types.INTEGER);
      connection.setClientInfo("gauss.node", "2");
      assertEquals("22023", assertThrows(SQLException.class, update::execute).getSQLState());
      update.setLong(1, 8);
      assertEquals(1, update.executeUpdate());
      assertEquals(
          List.of("3|7", "4|7", "5|8"),
          query(connection, "SELECT id, v FROM t WHERE v > 0 ORDER BY id"));
    }
  }

  @Test
  void batchesGoWhereTheirFirstRowBelongs() throws SQLException {
    try (Connection connection = nodes.connect("");
        PreparedStatement update = connection.prepareStatement("UPDATE t SET v = ? WHERE id = ?");
        Statement plain = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (int id = 1; id <= 3; id++) {
        update.setInt(1, 10 * id);
        update.setInt(2, id);
        update.addBatch();
      }
      connection.setClientInfo("gauss.node", "2");
      assertEquals(3, update.executeBatch().length);
      assertEquals(0, update.executeBatch().length);
      update.setInt(2, 9); // the value of the last row stays
      assertEquals(1, update.executeUpdate());
      plain.addBatch("UPDATE t SET v = 1 WHERE id = 4");
      plain.addBatch("UPDATE t SET v = 2 WHERE id IN (5, 6)");
      assertEquals(2, plain.executeBatch()[1]);
      assertEquals(2, TwoNodes.node(connection));
      connection.commit();
      assertEquals(
          List.of("1|10", "2|20", "3|30", "4|1", "5|2", "6|2", "9|30"),
          query(connection, "SELECT id, v FROM t WHERE v > 0 ORDER BY id"));
    }
  }

  @Test
  void aStreamIsReadOnceAndOnTheRightNode() throws SQLException {
    try (Connection connection = nodes.connect("");
        PreparedStatement select = connection.prepareStatement("SELECT length(?::bytea)")) {
      select.setBinaryStream(1, new ByteArrayInputStream(new byte[5000]));
      connection.setClientInfo("gauss.node", "2");
      try (ResultSet rows = select.executeQuery()) {
        assertEquals(List.of("5000"), TwoNodes.rows(rows));
      }
      connection.setClientInfo("gauss.node", "1");
      assertEquals("22023", assertThrows(SQLException.class, select::executeQuery).getSQLState());
      select.setBinaryStream(1, new ByteArrayInputStream(new byte[3]));
      try (ResultSet rows = select.executeQuery()) {
        assertEquals(List.of("3"), TwoNodes.rows(rows));
      }
    }
  }

  @Test
  void aCallsResultsAreReadWhereItRan() throws SQLException {
    nodes.tell("CREATE OR REPLACE FUNCTION twice(i int) RETURNS int AS 'SELECT 2*i' LANGUAGE SQL");
    try (Connection connection = nodes.connect("");
        CallableStatement call = connection.prepareCall("{? = call twice(?)}")) {
      call.registerOutParameter(1, Types.INTEGER);
      call.setInt(2, 21);
      connection.setClientInfo("gauss.node", "2");
      call.execute();
      assertEquals(42, call.getInt(1));
      assertEquals(2, TwoNodes.node(connection));
    }
  }

  @Test
  void cancelReachesTheNodeWhereTheStatementRuns() throws Exception {
    try (ExecutorService executor = Executors.newSingleThreadExecutor();
        Connection connection = nodes.connect("");
        Connection direct = nodes.direct();
        Statement statement = connection.createStatement()) {
      int process = process(connection, 2);
      process(connection, 1);
      Future<String> outcome =
          executor.submit(
              () ->
                  assertThrows(
                          SQLException.class,
                          () -> statement.execute(onNode(2, "SELECT pg_sleep(600)")))
                      .getSQLState());
      String running = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND pid = ";
      while (query(direct, running + process).isEmpty()) {
        Thread.onSpinWait();
      }
      statement.cancel();
      assertEquals("57014", outcome.get());
    }
  }

  // ---- what pins

  @Test
  void aTemporaryTablePinsUntilItIsDropped() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      int first = process(connection, 1);
      execute(connection, "CREATE TEMP TABLE mine (id int)");
      assertEquals(first, process(connection, 2));
      assertEquals("temporary table mine", pinnedBy(connection));
      execute(connection, "DROP TABLE mine");
      assertNotEquals(first, process(connection, 2));
      connection.setAutoCommit(false);
      execute(connection, "CREATE TEMP TABLE mine (id int)");
      connection.rollback();
      assertEquals("", pinnedBy(connection));
      execute(connection, "CREATE TEMP TABLE mine (id int) ON COMMIT DROP");
      connection.commit();
      assertEquals("", pinnedBy(connection));
    }
  }

  @Test
  void whatOneSessionKnowsPins() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      String[][] cases = {
        {"PREPARE p AS SELECT 1", "DEALLOCATE p"},
        {"SELECT pg_advisory_lock(5)", "SELECT pg_advisory_unlock_all()"},
        {"LISTEN news", "UNLISTEN *"},
        {"SELECT set_config('work_mem', '99kB', false)", "DISCARD ALL"},
        {"DECLARE c CURSOR WITH HOLD FOR SELECT 1", "CLOSE c"},
      };
      for (String[] one : cases) {
        int first = process(connection, 1);
        execute(connection, one[0]);
        assertEquals(first, process(connection, 2), one[0]);
        execute(connection, one[1]);
        assertNotEquals(first, process(connection, 2), one[1]);
      }
    }
  }

  @Test
  void whatAStatementHasLockedBeforeItFailedPinsAsWell() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      int first = process(connection, 1);
      assertThrows(
          SQLException.class,
          () ->
              execute(
                  connection, "SELECT pg_advisory_lock(6), 1 / (SELECT v FROM t WHERE id = 1)"));
      assertEquals(first, process(connection, 2));
      execute(connection, "SELECT pg_advisory_unlock_all(), pg_advisory_lock(5)");
      assertEquals(first, process(connection, 2), "it may have been in the other order");
      execute(connection, "SELECT pg_advisory_unlock_all()");
      assertNotEquals(first, process(connection, 2));
    }
  }

  @Test
  void whoUnwrapsStays() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      process(connection, 2);
      int backend = connection.unwrap(PGConnection.class).getBackendPID();
      assertEquals(backend, process(connection, 1));
      connection.endRequest();
      assertNotEquals(backend, process(connection, 1));
    }
  }

  @Test
  void currvalIsAskedWhereNextvalWas() throws SQLException {
    nodes.tell("CREATE SEQUENCE IF NOT EXISTS numbers");
    try (Connection connection = nodes.connect("routing.mode=random")) {
      for (int i = 0; i < 20; i++) {
        List<String> next = query(connection, "SELECT nextval('numbers')");
        assertEquals(next, query(connection, "SELECT currval('numbers') FROM t WHERE id = 1"));
      }
    }
  }

  // ---- hints

  @Test
  void equalShardingKeysGoToOneNode() throws SQLException {
    GaussDataSource source = new GaussDataSource();
    source.setUrl(nodes.url("routing.mode=random"));
    Set<Integer> used = new HashSet<>();
    try (Connection one = source.getConnection();
        Connection other = source.getConnection()) {
      for (int key = 0; key < 20; key++) {
        ShardingKey sharding =
            source.createShardingKeyBuilder().subkey(key, java.sql.JDBCType.INTEGER).build();
        one.setShardingKey(sharding);
        other.setShardingKey(sharding);
        query(one, "SELECT v FROM t WHERE id = 1");
        query(other, "SELECT v FROM t WHERE id = 2");
        assertEquals(TwoNodes.node(one), TwoNodes.node(other));
        used.add(TwoNodes.node(one));
      }
    }
    assertEquals(Set.of(1, 2), used);
  }

  @Test
  void aConnectionCanBeAskedForWithItsShardingKey() throws SQLException {
    GaussDataSource source = new GaussDataSource();
    source.setUrl(nodes.url("routing.mode=random"));
    ShardingKey key =
        source.createShardingKeyBuilder().subkey(7, java.sql.JDBCType.INTEGER).build();
    try (Connection built = source.createConnectionBuilder().shardingKey(key).build();
        Connection set = source.getConnection()) {
      set.setShardingKey(key, null);
      query(built, "SELECT v FROM t WHERE id = 1");
      query(set, "SELECT v FROM t WHERE id = 1");
      assertEquals(TwoNodes.node(set), TwoNodes.node(built));
      SQLException e = assertThrows(SQLException.class, () -> set.setShardingKey(key, key));
      assertEquals("0A000", e.getSQLState());
    }
    SQLException e =
        assertThrows(
            SQLException.class,
            () -> source.createConnectionBuilder().shardingKey(key).superShardingKey(key).build());
    assertEquals("0A000", e.getSQLState());
  }

  @Test
  void clientInfoNamesTheNode() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      assertNull(connection.getClientInfo("gauss.node"));
      connection.setClientInfo("gauss.node", "2");
      query(connection, "SELECT v FROM t WHERE id = 1");
      assertEquals(2, TwoNodes.node(connection));
      assertEquals("2", connection.getClientInfo().getProperty("gauss.node"));
      assertThrows(
          SQLClientInfoException.class, () -> connection.setClientInfo("gauss.node", "here"));
      connection.setClientInfo("gauss.node", "99"); // there is none, so it is no hint
      query(connection, "SELECT v FROM t WHERE id = 1");
      assertEquals(2, TwoNodes.node(connection));
    }
  }

  // ---- what leads back

  @Test
  void everythingLeadsBackToTheLogicalConnection() throws SQLException {
    try (Connection connection = nodes.connect("");
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(onNode(2, "SELECT v FROM t"));
        ResultSet tables = connection.getMetaData().getTables(null, "public", "t", null)) {
      assertSame(connection, statement.getConnection());
      assertSame(statement, rows.getStatement());
      assertSame(rows, statement.getResultSet());
      assertSame(connection, connection.getMetaData().getConnection());
      assertSame(connection, tables.getStatement().getConnection());
      assertTrue(tables.next());
    }
  }

  @Test
  void anUpdatableResultSetChangesRowsWhereItWasRead() throws SQLException {
    try (Connection connection = nodes.connect("");
        Statement statement =
            connection.createStatement(
                ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
      connection.setAutoCommit(false);
      ResultSet rows =
          statement.executeQuery(onNode(2, "SELECT id, v FROM t WHERE id < 3 ORDER BY id"));
      connection.commit();
      assertTrue(rows.next());
      execute(connection, onNode(1, "UPDATE t SET v = 1 WHERE id = 9"));
      assertEquals(
          "25001", assertThrows(SQLException.class, () -> rows.updateInt("v", 5)).getSQLState());
      connection.commit();
      rows.updateInt("v", 5);
      rows.updateRow();
      connection.commit();
      assertEquals(List.of("5"), query(connection, "SELECT v FROM t WHERE id = 1"));
    }
  }

  @Test
  void closeOnCompletionClosesTheLogicalStatement() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      Statement statement = connection.createStatement();
      statement.closeOnCompletion();
      ResultSet rows = statement.executeQuery(onNode(2, "SELECT 1 FROM t"));
      assertFalse(statement.isClosed());
      rows.close();
      assertTrue(statement.isClosed());
      assertEquals(
          "55000",
          assertThrows(SQLException.class, () -> statement.execute("SELECT 1")).getSQLState());
    }
  }
}
