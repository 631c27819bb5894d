package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.fault.FaultPoints;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.storage.node.StorageNodes;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Transactions of clients that choose no node go to the node that is better for them, by
 * PostgreSQL's own driver. Here a comment in a statement, or its first parameter, says which node
 * that is.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class ReroutingTest {
  private static final Pattern COMMENT = Pattern.compile("/\\*on (\\d)\\*/");

  private static final String NODE = ForwardedClients.NODE;

  private final ExecutorService clients = Executors.newCachedThreadPool();
  private WholeCluster cluster;
  private Connection client;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    cluster = new WholeCluster(directory, 1, 2, 3, Map.of(), Map.of("routing.reroute", "on"));
    for (int number : cluster.numbers()) {
      cluster.compute(number).node.reroutes().route(ReroutingTest::where);
    }
    cluster.compute(1).execute("CREATE TABLE t (id bigint PRIMARY KEY, v int)");
  }

  @AfterAll
  void stop() {
    clients.shutdownNow();
    cluster.close();
  }

  @BeforeEach
  void connect() throws SQLException {
    client = connect("");
    run("DELETE FROM t");
  }

  @AfterEach
  void disconnect() throws SQLException {
    client.close();
  }

  private static int where(String text, List<?> parameters) {
    Matcher comment = COMMENT.matcher(text);
    if (comment.find()) {
      return Integer.parseInt(comment.group(1));
    }
    if (text.startsWith("BEGIN") || text.startsWith("SET") || text.startsWith("SHOW")) {
      return BetterNode.NOT_YET;
    }
    return text.contains("/*by*/") && parameters.getFirst() instanceof Long slot
        ? slot.intValue()
        : BetterNode.NOT_KNOWN;
  }

  private Connection connect(String more) throws SQLException {
    Connection connection = DriverManager.getConnection(cluster.url(1) + more);
    for (int node = 2; node <= 3; node++) {
      ForwardedClients.ready(connection, "/*on %d*/ ".formatted(node), node);
    }
    return connection;
  }

  private void run(String... texts) throws SQLException {
    run(client, texts);
  }

  private static void run(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  private String value(String query) throws SQLException {
    return OneNode.query(client, query).getFirst();
  }

  private RerouteCounts counts(int node) {
    return cluster.compute(node).node.routing().reroutes();
  }

  // ---------------------------------------------------------------- where transactions run

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aStatementRunsOnTheBetterNode(String mode) throws SQLException {
    try (Connection c = connect("&preferQueryMode=" + mode)) {
      long before = counts(1).forwarded(2);
      assertEquals("2|5", OneNode.query(c, "/*on 2*/ SELECT " + NODE + ", 5").getFirst());
      assertEquals("1", OneNode.query(c, "SELECT " + NODE).getFirst());
      assertEquals("3", OneNode.query(c, "/*on 3*/ SELECT " + NODE).getFirst());
      assertEquals(before + 1, counts(1).forwarded(2));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aTransactionStaysWhereItsFirstStatementBelongs(String mode) throws SQLException {
    try (Connection c = connect("&preferQueryMode=" + mode)) {
      c.setAutoCommit(false);
      run(c, "/*on 2*/ INSERT INTO t VALUES (1, 1)", "/*on 3*/ UPDATE t SET v = v + 1");
      assertEquals("2|2", OneNode.query(c, "SELECT " + NODE + ", v FROM t").getFirst());
      c.commit();
      assertEquals("1|2", OneNode.query(c, "SELECT " + NODE + ", v FROM t").getFirst());
      c.rollback();
      run(c, "/*on 3*/ DELETE FROM t");
      c.rollback();
      assertEquals("1|2", OneNode.query(c, "SELECT " + NODE + ", v FROM t").getFirst());
    }
  }

  @Test
  void aBlockThatWasBegunHereGoesWithItsModes() throws SQLException {
    run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    assertEquals(
        "3|repeatable read|on|t",
        value(
            "/*on 3*/ SELECT "
                + NODE
                + ", current_setting('transaction_isolation'),"
                + " current_setting('transaction_read_only'), now() < clock_timestamp()"));
    SQLException refused =
        assertThrows(SQLException.class, () -> run("INSERT INTO t VALUES (1, 1)"));
    assertEquals("25006", refused.getSQLState());
    run("ROLLBACK");
    assertEquals(
        "1|read committed", value("SELECT " + NODE + ", current_setting('transaction_isolation')"));
  }

  @Test
  void parametersTellWhereItBelongsAndStatementsArePreparedThere() throws SQLException {
    try (Connection c = connect("&prepareThreshold=1");
        PreparedStatement select =
            c.prepareStatement("SELECT /*by*/ ?::bigint, " + NODE + ", ?::text")) {
      for (int round = 0; round < 5; round++) {
        for (long node = 1; node <= 3; node++) {
          select.setLong(1, node);
          select.setString(2, "x");
          try (ResultSet row = select.executeQuery()) {
            row.next();
            assertEquals(node, row.getLong(2));
          }
        }
      }
    }
  }

  // ---------------------------------------------------------------- what follows

  @Test
  void settingsFollowAndComeBack() throws SQLException {
    run("SET work_mem = '8MB'", "SET search_path = pg_catalog");
    assertEquals(
        "2|8MB|pg_catalog",
        value(
            "/*on 2*/ SELECT "
                + NODE
                + ", current_setting('work_mem'), current_setting('search_path')"));
    run("SET search_path = public");
    client.setAutoCommit(false);
    run("/*on 3*/ SELECT 1", "SET work_mem = '16MB'", "SET LOCAL TimeZone = 'Asia/Tokyo'");
    client.commit();
    assertEquals(
        "1|16MB|public",
        value("SELECT " + NODE + ", current_setting('work_mem'), current_setting('search_path')"));
    client.commit();
    run("/*on 3*/ SELECT 1", "SET work_mem = '32MB'");
    client.rollback();
    assertEquals("2|16MB", value("/*on 2*/ SELECT " + NODE + ", current_setting('work_mem')"));
  }

  @Test
  void rolesFollow() throws SQLException {
    run("DROP ROLE IF EXISTS clerk", "CREATE ROLE clerk", "SET ROLE clerk");
    assertEquals(
        "2|clerk|gauss", value("/*on 2*/ SELECT " + NODE + ", current_user, session_user"));
    SQLException denied = assertThrows(SQLException.class, () -> run("/*on 2*/ SELECT * FROM t"));
    assertEquals("42501", denied.getSQLState());
    run("RESET ROLE");
    assertEquals("gauss", value("/*on 2*/ SELECT current_user"));
  }

  /** A node takes over the settings of a session before it has loaded what made them possible. */
  @Test
  void rolesThatWereMadeJustNowFollow() throws SQLException {
    for (int i = 0; i < 30; i++) {
      String name = "clerk" + i;
      run("/*on 2*/ SELECT 1", "DROP ROLE IF EXISTS " + name, "CREATE ROLE " + name);
      run((i % 2 == 0 ? "SET ROLE " : "SET SESSION AUTHORIZATION ") + name);
      assertEquals("2|" + name, value("/*on 2*/ SELECT " + NODE + ", current_user"));
      // As what is made there belongs to that role, and is not the superuser's.
      SQLException denied = assertThrows(SQLException.class, () -> run("/*on 3*/ SELECT * FROM t"));
      assertEquals("42501", denied.getSQLState());
      run("RESET ROLE", "RESET SESSION AUTHORIZATION", "DROP ROLE " + name);
    }
  }

  @Test
  void statementsOfPrepareFollowAndComeBack() throws SQLException {
    run("PREPARE here (int) AS SELECT $1 + 1, " + NODE);
    client.setAutoCommit(false);
    run("/*on 2*/ SELECT 1");
    assertEquals("3|2", value("EXECUTE here(2)"));
    run("PREPARE there AS SELECT 7, " + NODE, "DEALLOCATE here");
    client.commit();
    client.setAutoCommit(true);
    assertEquals("7|1", value("EXECUTE there"));
    SQLException gone = assertThrows(SQLException.class, () -> run("EXECUTE here(1)"));
    assertEquals("26000", gone.getSQLState());
  }

  /** Clients read its rows by the columns of which they were told. */
  @Test
  void aPreparedStatementKeepsItsColumnsWhereverItRuns() throws SQLException {
    run(
        "DROP TABLE IF EXISTS widens",
        "CREATE TABLE widens (a int)",
        "INSERT INTO widens VALUES (1)");
    run("PREPARE all_of_it AS SELECT * FROM widens", "ALTER TABLE widens ADD COLUMN b int");
    client.setAutoCommit(false);
    run("/*on 2*/ SELECT 1");
    SQLException changed = assertThrows(SQLException.class, () -> value("EXECUTE all_of_it"));
    assertEquals("0A000", changed.getSQLState());
    client.rollback();
    client.setAutoCommit(true);
    run("DEALLOCATE all_of_it", "DROP TABLE widens");
  }

  @Test
  void valuesOfSequencesFollow() throws SQLException {
    run("DROP SEQUENCE IF EXISTS s", "CREATE SEQUENCE s");
    String next = value("/*on 2*/ SELECT nextval('s')");
    assertEquals(next + "|" + next, value("SELECT currval('s'), lastval()"));
    assertEquals("3|" + next, value("/*on 3*/ SELECT " + NODE + ", currval('s')"));
  }

  @Test
  void whatFunctionsSetFollowsAndComesBack() throws SQLException {
    run("SELECT set_config('work_mem', '8MB', false)");
    assertEquals("2|8MB", value("/*on 2*/ SELECT " + NODE + ", current_setting('work_mem')"));
    String zone = value("SELECT current_setting('TimeZone')");
    run(
        "/*on 2*/ SELECT set_config('work_mem', '9MB', false),"
            + " set_config('TimeZone', 'Asia/Tokyo', true)");
    assertEquals(
        "9MB|" + zone, value("SELECT current_setting('work_mem'), current_setting('TimeZone')"));
    run("RESET ALL");
    assertEquals("3|4MB", value("/*on 3*/ SELECT " + NODE + ", current_setting('work_mem')"));
  }

  @Test
  void timeoutsHoldThere() throws SQLException {
    run("INSERT INTO t VALUES (1, 1)", "SET statement_timeout = 50");
    SQLException late =
        assertThrows(SQLException.class, () -> run("/*on 2*/ SELECT pg_sleep(1000)"));
    assertEquals("57014", late.getSQLState());
    assertTrue(late.getMessage().contains("statement timeout"), late.getMessage());
    run("SET statement_timeout = 0", "SET lock_timeout = 50");
    try (Connection other = connect("")) {
      other.setAutoCommit(false);
      run(other, "UPDATE t SET v = 2");
      SQLException locked =
          assertThrows(SQLException.class, () -> run("/*on 3*/ UPDATE t SET v = 3"));
      assertEquals("55P03", locked.getSQLState());
      other.rollback();
    }
  }

  @Test
  void warningsCome() throws SQLException {
    try (Statement statement = client.createStatement()) {
      client.setAutoCommit(false);
      statement.execute("/*on 2*/ SELECT 1");
      statement.execute("DROP TABLE IF EXISTS nowhere");
      assertTrue(statement.getWarnings().getMessage().contains("nowhere"));
      client.commit();
    }
  }

  @Test
  void theSessionHasOneNumberAndOneRow() throws SQLException {
    String pid = value("SELECT pg_backend_pid()");
    assertEquals(pid, value("/*on 2*/ SELECT pg_backend_pid()"));
    for (String where : List.of("/*on 2*/ ", "")) {
      awaitValue(
          "1", client, where + "SELECT count(*) FROM gauss.sessions WHERE pid = pg_backend_pid()");
    }
  }

  @Test
  void viewsShowTheClientAndItsApplicationWhereverTheTransactionIs() throws SQLException {
    String pid = value("SELECT pg_backend_pid()");
    String who =
        "SELECT node, client, application_name FROM gauss.sessions WHERE pid = %s".formatted(pid);
    run("SET application_name = E'bil\nling'"); // two lines, as they could stand in a log
    String address = value("SELECT client FROM gauss.sessions WHERE pid = " + pid);
    assertTrue(address.matches("127\\.0\\.0\\.1:\\d+"), address);
    assertEquals("1|%s|bil?ling".formatted(address), value(who));
    client.setAutoCommit(false);
    run("/*on 2*/ SELECT 1");
    try (Connection other = connect("")) {
      awaitValue("2|%s|bil?ling".formatted(address), other, who);
      awaitValue(
          address.replace(':', '|'),
          other,
          "SELECT client_addr, client_port FROM pg_stat_activity WHERE pid = " + pid);
    }
  }

  // ---------------------------------------------------------------- what stays

  @Test
  void temporaryTablesKeepTransactionsWhereTheyAre() throws SQLException {
    run("CREATE TEMP TABLE mine (v int)", "INSERT INTO mine VALUES (4)");
    assertEquals("1|4", value("/*on 2*/ SELECT " + NODE + ", v FROM mine"));
    try (Connection other = connect("")) {
      other.setAutoCommit(false);
      run(other, "/*on 3*/ SELECT 1", "CREATE TEMP TABLE mine (v int)");
      other.commit();
      run(other, "INSERT INTO mine VALUES (5)");
      other.commit();
      assertEquals(
          "3|5", OneNode.query(other, "/*on 2*/ SELECT " + NODE + ", v FROM mine").getFirst());
    }
  }

  @Test
  void advisoryLocksOfTheSessionKeepTransactionsWhereTheyAre() throws SQLException {
    run("SELECT pg_advisory_lock(5)");
    assertEquals("1", value("/*on 2*/ SELECT " + NODE));
    run("SELECT pg_advisory_unlock(5)");
    assertEquals("2", value("/*on 2*/ SELECT " + NODE));
    try (Connection other = connect("")) {
      other.setAutoCommit(false);
      run(other, "/*on 3*/ SELECT pg_advisory_lock(5), pg_advisory_xact_lock(6)");
      other.commit();
      assertEquals("3", OneNode.query(other, "/*on 2*/ SELECT " + NODE).getFirst());
      other.commit();
      assertEquals("f|t", value("SELECT pg_try_advisory_lock(5), pg_try_advisory_xact_lock(6)"));
      run(other, "SELECT pg_advisory_unlock_all()");
      other.commit();
      assertEquals("1", OneNode.query(other, "/*on 2*/ SELECT " + NODE).getFirst());
      other.commit();
      assertEquals("t", value("SELECT pg_try_advisory_xact_lock(5)"));
    }
  }

  @Test
  void sessionsThatListenStay() throws SQLException {
    run("LISTEN a");
    assertEquals("1", value("/*on 2*/ SELECT " + NODE));
    run("UNLISTEN a");
    assertEquals("2", value("/*on 2*/ SELECT " + NODE));
  }

  @Test
  void whoWantsToListenOnAnotherNodeSucceedsAtTheNextAttempt() throws SQLException {
    try (Connection other = connect("")) {
      other.setAutoCommit(false);
      assertEquals("3", OneNode.query(other, "/*on 3*/ SELECT " + NODE).getFirst());
      SQLException e = assertThrows(SQLException.class, () -> run(other, "LISTEN a"));
      assertEquals("40001", e.getSQLState());
      other.rollback();
      assertEquals("1", OneNode.query(other, "/*on 3*/ SELECT " + NODE).getFirst());
      run(other, "LISTEN a");
      other.commit();
      assertEquals(List.of("a"), OneNode.query(other, "SELECT pg_listening_channels()"));
      other.commit();
    }
  }

  @Test
  void transactionsOnAnotherNodeNotifyForTheirSession() throws SQLException {
    try (Connection listener = cluster.compute(3).connect()) {
      run(listener, "LISTEN a");
      run("/*on 2*/ SELECT pg_notify('a', " + NODE + "::text)");
      PGNotification[] heard = listener.unwrap(PGConnection.class).getNotifications(60_000);
      assertEquals("2", heard[0].getParameter());
      assertEquals(client.unwrap(PGConnection.class).getBackendPID(), heard[0].getPID());
    }
  }

  @Test
  void sessionsOfDriversThatRouteStay() throws SQLException {
    run("SET gauss.routing = 'sticky'");
    assertEquals("1", value("/*on 2*/ SELECT " + NODE));
    run("SET gauss.routing = 'off'", "SET gauss.reroute = off");
    assertEquals("1", value("/*on 2*/ SELECT " + NODE));
    run("RESET gauss.reroute", "SET gauss.commit_wait = 'local'");
    assertEquals("1", value("/*on 2*/ SELECT " + NODE));
    run("RESET gauss.commit_wait");
    assertEquals("2", value("/*on 2*/ SELECT " + NODE));
  }

  @Test
  void whatAnotherNodeForwardsIsNotForwardedAgain() throws SQLException {
    client.setAutoCommit(false);
    run("/*on 2*/ SELECT 1");
    assertEquals("2", value("/*on 3*/ SELECT " + NODE));
    client.commit();
    assertEquals(0, counts(2).forwarded());
  }

  @Test
  void aNodeThatIsNotThereIsNoBetterNode() throws SQLException {
    long before = counts(1).stayed(RerouteCounts.Reason.UNREACHABLE);
    assertEquals("1", value("/*on 9*/ SELECT " + NODE));
    assertEquals(before + 1, counts(1).stayed(RerouteCounts.Reason.UNREACHABLE));
  }

  // ---------------------------------------------------------------- errors, cancel, much data

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void errorsAreThoseOfTheStatement(String mode) throws SQLException {
    try (Connection c = connect("&preferQueryMode=" + mode)) {
      SQLException division =
          assertThrows(SQLException.class, () -> run(c, "/*on 2*/ SELECT 1 / 0"));
      assertEquals("22012", division.getSQLState());
      assertEquals("2", OneNode.query(c, "/*on 2*/ SELECT " + NODE).getFirst());
      c.setAutoCommit(false);
      run(c, "/*on 2*/ INSERT INTO t VALUES (1, 1)");
      assertThrows(SQLException.class, () -> run(c, "SELECT 1 / 0"));
      SQLException aborted = assertThrows(SQLException.class, () -> run(c, "SELECT 1"));
      assertEquals("25P02", aborted.getSQLState());
      c.rollback();
      assertEquals("1|0", OneNode.query(c, "SELECT " + NODE + ", count(*) FROM t").getFirst());
    }
  }

  @Test
  void aRequestToCancelReachesTheNodeThatRunsIt() throws Exception {
    try (Statement statement = client.createStatement()) {
      Future<SQLException> canceled =
          clients.submit(
              () ->
                  assertThrows(
                      SQLException.class,
                      () -> statement.execute("/*on 2*/ SELECT pg_sleep(1000)")));
      while (!canceled.isDone()) {
        client.unwrap(org.postgresql.PGConnection.class).cancelQuery();
      }
      assertEquals("57014", canceled.get().getSQLState());
    }
    assertEquals("1", value("SELECT " + NODE));
  }

  @Test
  void largeRowsAndManyRowsCome() throws SQLException {
    assertEquals("2|200000", value("/*on 2*/ SELECT " + NODE + ", length(repeat('x', 200000))"));
    assertEquals(
        "300000",
        value("SELECT /*on 3*/ length(repeat('y', 300000)) AS n, " + NODE).split("\\|")[0]);
    List<String> rows =
        OneNode.query(
            client, "/*on 2*/ SELECT i, repeat('x', 100) FROM generate_series(1, 50000) i");
    assertEquals(50000, rows.size());
    assertTrue(rows.getLast().startsWith("50000|"));
    try (PreparedStatement insert = client.prepareStatement("SELECT /*by*/ ?::bigint, length(?)")) {
      insert.setLong(1, 2);
      insert.setString(2, "z".repeat(1_000_000));
      try (ResultSet row = insert.executeQuery()) {
        row.next();
        assertEquals(1_000_000, row.getInt(2));
      }
    }
  }

  @Test
  void copyGoesThroughInTheMiddleOfATransaction() throws Exception {
    client.setAutoCommit(false);
    run("/*on 2*/ SELECT 1");
    var copies =
        new org.postgresql.copy.CopyManager(
            client.unwrap(org.postgresql.core.BaseConnection.class));
    StringBuilder data = new StringBuilder();
    for (int i = 0; i < 20000; i++) {
      data.append(i).append('\t').append(i % 7).append('\n');
    }
    assertEquals(
        20000, copies.copyIn("COPY t FROM STDIN", new java.io.StringReader(data.toString())));
    java.io.StringWriter read = new java.io.StringWriter();
    assertEquals(20000, copies.copyOut("COPY (SELECT * FROM t ORDER BY id) TO STDOUT", read));
    assertEquals(data.toString(), read.toString());
    assertThrows(
        SQLException.class,
        () -> copies.copyIn("COPY t FROM STDIN", new java.io.StringReader("x\n")));
    client.rollback();
    assertEquals("1|0", value("SELECT " + NODE + ", count(*) FROM t"));
  }

  // ---------------------------------------------------------------- losses

  @Test
  void aTransactionIsLostWithItsNodeAndTheSessionGoesOn() throws Exception {
    client.setAutoCommit(false);
    run("/*on 3*/ INSERT INTO t VALUES (1, 1)");
    try (Connection pinned = connect("")) {
      pinned.setAutoCommit(false);
      run(pinned, "/*on 3*/ SELECT 1", "CREATE TEMP TABLE mine (v int)");
      pinned.commit();
      cluster.stop(3);
      try {
        SQLException lost = assertThrows(SQLException.class, () -> run("SELECT 1"));
        assertEquals("40001", lost.getSQLState(), lost.toString());
        SQLException failed = assertThrows(SQLException.class, () -> run("SELECT 1"));
        assertEquals("25P02", failed.getSQLState());
        client.rollback();
        assertEquals("1|0", value("/*on 3*/ SELECT " + NODE + ", count(*) FROM t"));
        client.commit();
        SQLException gone = assertThrows(SQLException.class, () -> run(pinned, "SELECT 1"));
        assertEquals("08006", gone.getSQLState());
        assertTrue(gone.getMessage().contains("temporary tables"), gone.getMessage());
        pinned.rollback();
        assertEquals("1", OneNode.query(pinned, "SELECT " + NODE).getFirst());
      } finally {
        cluster.start(3);
      }
    }
  }

  /** Rule 39: where the COMMIT stands among the statements that were sent makes no difference. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "BEGIN; INSERT INTO t VALUES (7, 7); COMMIT",
        "BEGIN; INSERT INTO t VALUES (7, 7); COMMIT; BEGIN"
      })
  void aCommitInATextOfAPinnedSessionIsOpenWhenItsNodeIsLost(String text) throws Exception {
    CountDownLatch logs = new CountDownLatch(1);
    CountDownLatch mayLog = new CountDownLatch(1);
    try (Connection pinned = connect("&preferQueryMode=simple")) {
      pinned.setAutoCommit(false);
      run(pinned, "/*on 3*/ SELECT 1", "CREATE TEMP TABLE mine (v int)");
      pinned.commit();
      pinned.setAutoCommit(true);
      try (var log = FaultPoints.arm("log-3.before-append", () -> hold(logs, mayLog))) {
        Future<SQLException> answer =
            clients.submit(() -> assertThrows(SQLException.class, () -> run(pinned, text)));
        assertTrue(logs.await(120, TimeUnit.SECONDS), "nothing is committed on node 3");
        cluster.declareDead(3);
        mayLog.countDown();
        cluster.end(3);
        SQLException lost = answer.get();
        assertEquals("08007", lost.getSQLState(), lost.toString());
      } finally {
        mayLog.countDown();
        cluster.start(3);
        cluster.compute(3).node.reroutes().route(ReroutingTest::where);
      }
    }
  }

  /** A node that does not answer others for a second has no rows in views for a moment. */
  private static void awaitValue(String expected, Connection connection, String query) {
    StorageNodes.await(
        expected + " by " + query,
        () -> {
          try {
            return OneNode.query(connection, query).equals(List.of(expected));
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static void hold(CountDownLatch arrived, CountDownLatch mayContinue) {
    arrived.countDown();
    try {
      mayContinue.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
