package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;
import static io.gauss.jdbc.nodes.TwoNodes.onNode;
import static io.gauss.jdbc.nodes.TwoNodes.process;
import static io.gauss.jdbc.nodes.TwoNodes.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.jdbc.RoutedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a session has on its node, through transactions and savepoints that end in every way. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DriverSessionTest {
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

  private static void assertPinned(String pin, Connection connection) throws SQLException {
    assertEquals(pin, pinnedBy(connection));
    int other = TwoNodes.node(connection) == 1 ? 2 : 1;
    int before = TwoNodes.node(connection);
    process(connection, other);
    assertEquals(pin.isEmpty() ? other : before, TwoNodes.node(connection));
  }

  // ---- transactions that move

  @Test
  void savepointsMoveWithTheTransaction() throws SQLException {
    try (Connection connection = nodes.connect("routing.mode=model")) {
      process(connection, 1);
      execute(connection, "BEGIN", "SAVEPOINT a", "SET LOCAL work_mem = '77kB'", "SAVEPOINT b");
      execute(connection, "RELEASE b", "ROLLBACK TO a");
      execute(connection, onNode(2, "UPDATE t SET v = 1 WHERE id = 1"));
      assertEquals(2, TwoNodes.node(connection));
      assertEquals(List.of("4MB"), query(connection, "SHOW work_mem"));
      execute(connection, "ROLLBACK TO a", "UPDATE t SET v = 2 WHERE id = 2", "COMMIT");
      assertEquals(List.of("2|2"), query(connection, "SELECT id, v FROM t WHERE v > 0"));
    }
  }

  /** The router reads the first statement of a text only. */
  @Test
  void aTransactionThatHasWrittenIsNotMovedWhateverItBeganWith() throws SQLException {
    try (Connection connection = nodes.connect("routing.mode=model")) {
      process(connection, 1);
      connection.setAutoCommit(false);
      execute(connection, "SELECT 1; UPDATE t SET v = 1 WHERE id = 1");
      execute(connection, onNode(2, "UPDATE t SET v = 1 WHERE id = 2"));
      connection.commit();
      assertEquals(List.of("2"), query(connection, "SELECT sum(v) FROM t"));
    }
  }

  // ---- temporary tables

  @Test
  void aTemporaryTableThatASavepointBringsBackPins() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      execute(connection, "BEGIN", "CREATE TEMP TABLE mine (id int)", "SAVEPOINT a");
      execute(connection, "DROP TABLE mine", "ROLLBACK TO a", "COMMIT");
      assertPinned("temporary table mine", connection);
      execute(connection, "BEGIN", "DROP TABLE mine", "CREATE TEMP TABLE mine (i int)", "COMMIT");
      assertPinned("temporary table mine", connection);
      execute(connection, "BEGIN", "DROP TABLE mine", "ROLLBACK");
      assertPinned("temporary table mine", connection);
      execute(connection, "DROP TABLE mine");
      assertPinned("", connection);
    }
  }

  @Test
  void aTemporaryTableThatASavepointHasTakenAwayDoesNotPin() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      connection.setAutoCommit(false);
      Savepoint savepoint = connection.setSavepoint("a");
      execute(connection, "CREATE TEMP TABLE mine (id int)");
      assertEquals("temporary table mine", pinnedBy(connection));
      connection.rollback(savepoint);
      connection.commit();
      connection.setAutoCommit(true);
      assertPinned("", connection);
    }
  }

  @Test
  void anotherTableOfTheSameNameDoesNotUnpin() throws SQLException {
    nodes.tell("CREATE SCHEMA IF NOT EXISTS other; CREATE TABLE other.mine (i int)");
    try (Connection connection = nodes.connect("")) {
      execute(connection, "CREATE TEMP TABLE mine (id int)", "CREATE TEMP TABLE \"Mine\" (i int)");
      execute(connection, "DROP TABLE other.mine", "DROP TABLE \"Mine\"");
      assertPinned("temporary table mine", connection);
    }
  }

  // ---- transactions that follow each other

  @Test
  void whatAChainedCommitHasCommittedStays() throws SQLException {
    for (String commit : List.of("COMMIT AND CHAIN", "COMMIT; BEGIN")) {
      try (Connection connection = nodes.connect("")) {
        process(connection, 1);
        execute(connection, "BEGIN", "SET work_mem = '99kB'", commit, "ROLLBACK");
        process(connection, 2);
        assertEquals(List.of("99kB"), query(connection, "SHOW work_mem"), commit);
        execute(connection, "BEGIN", "CREATE TEMP TABLE mine (id int)", commit, "ROLLBACK");
        assertPinned("temporary table mine", connection);
        execute(connection, "BEGIN", "DROP TABLE mine", "ROLLBACK AND CHAIN", "COMMIT");
        assertPinned("temporary table mine", connection);
      }
    }
  }

  @Test
  void aCommitOfAFailedTransactionCommitsNothing() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      execute(connection, "BEGIN", "SET work_mem = '99kB'", "CREATE TEMP TABLE mine (id int)");
      assertThrows(SQLException.class, () -> execute(connection, "SELECT 1/0"));
      execute(connection, "COMMIT");
      assertPinned("", connection);
      assertEquals(List.of("4MB"), query(connection, "SHOW work_mem"));
    }
  }

  @Test
  void whatATextMayHaveLeftBeforeItFailedPins() throws SQLException {
    try (Connection connection = nodes.connect("")) {
      assertThrows(
          SQLException.class,
          () -> execute(connection, "BEGIN; CREATE TEMP TABLE mine (id int); COMMIT; SELECT 1/0"));
      assertPinned("temporary table mine", connection);
      execute(connection, "DISCARD ALL");
      assertPinned("", connection);
    }
  }

  // ---- settings of the server that the driver has to know

  @Test
  void whoseCommitsAreLocalStays() throws SQLException {
    try (Connection connection = nodes.connect("routing.mode=random")) {
      execute(connection, "SET gauss.commit_wait = 'local'");
      assertPinned("gauss.commit_wait = local", connection);
      execute(connection, "SET gauss.commit_wait = 'global'");
      assertPinned("gauss.commit_wait = local", connection); // others may not have heard yet
      execute(connection, "DISCARD ALL");
      assertPinned("", connection);
      execute(connection, "BEGIN", "SET LOCAL gauss.commit_wait = 'local'", "COMMIT");
      assertPinned("gauss.commit_wait = local", connection);
    }
    try (Connection connection =
        nodes.connect("routing.mode=random&options=-c%20gauss.commit_wait=local")) {
      execute(connection, "DISCARD ALL");
      assertPinned("gauss.commit_wait = local", connection);
    }
  }

  @Test
  void theServerKnowsHowNodesAreChosenAfterAReset() throws SQLException {
    try (Connection connection = nodes.connect("routing.mode=random")) {
      int first = process(connection, 1);
      for (String reset : List.of("DISCARD ALL", "RESET ALL", "BEGIN; RESET ALL; COMMIT")) {
        assertEquals(first, process(connection, 1), reset);
        execute(connection, onNode(1, reset));
        for (int node : List.of(1, 2, 1)) {
          String shown = onNode(node, "SELECT current_setting('gauss.routing') FROM t LIMIT 1");
          assertEquals(List.of("random"), query(connection, shown), reset);
        }
      }
      assertNotEquals(first, process(connection, 2));
    }
  }
}
