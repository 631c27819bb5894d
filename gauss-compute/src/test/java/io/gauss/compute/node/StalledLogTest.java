package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.fault.FaultPoints;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
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

/**
 * What clients see of a log that does not answer: 57P03 for who writes, an open outcome for who has
 * committed, nothing for who reads; and nothing of it once the log is back.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class StalledLogTest {
  private static final Pattern OPEN = Pattern.compile("the outcome of transaction (\\d+) is open");

  private OneNode node;
  private CountDownLatch answering;
  private FaultPoints.Armed silence;

  @BeforeAll
  void start(@TempDir Path data) {
    node = new OneNode(data, Map.of("storage.timeout", "1"));
  }

  @AfterAll
  void stop() {
    node.close();
  }

  @BeforeEach
  void table() throws SQLException {
    execute(
        "DROP TABLE IF EXISTS t",
        "CREATE TABLE t (id int PRIMARY KEY, v int)",
        "INSERT INTO t VALUES (1, 1), (2, 2)");
    answering = new CountDownLatch(1);
  }

  /** All of them again when the disk of this machine takes longer than the node waits for it. */
  private void execute(String... statements) throws SQLException {
    boolean isDone = false;
    while (!isDone) {
      try {
        node.execute(statements);
        isDone = true;
      } catch (SQLException e) {
        if (!"57P03".equals(e.getSQLState())) {
          throw e;
        }
        awaitWritable();
      }
    }
  }

  @AfterEach
  void answerAgain() {
    answering.countDown();
    if (silence != null) {
      silence.close();
    }
    awaitWritable();
  }

  /** A second transaction writes while one is open, and is over. */
  private void writeBeside() throws SQLException {
    execute("UPDATE t SET v = 1 WHERE id = 1");
  }

  private void answerNothing() {
    silence = FaultPoints.arm("log.after-append", () -> await(answering));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void awaitWritable() {
    while (node.node.engine().log().refusal() != null) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private SQLException refused(Connection connection, String text) {
    return assertThrows(
        SQLException.class,
        () -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute(text);
          }
        });
  }

  /** A commit is told that its outcome is open, and thereby the log counts as stalled. */
  private long openCommit(String text) throws SQLException {
    try (Connection connection = node.connect()) {
      SQLException error = refused(connection, text);
      assertEquals("57P03", error.getSQLState());
      Matcher message = OPEN.matcher(error.getMessage());
      assertTrue(message.find(), error.getMessage());
      return Long.parseLong(message.group(1));
    }
  }

  @Test
  void aCommitThatDoesNotBecomeDurableIsOpenAndIsCommittedOnceItDoes() throws SQLException {
    answerNothing();
    long xid = openCommit("UPDATE t SET v = 10 WHERE id = 1");
    String question = "SELECT gauss_txn_status(" + xid + ")";
    assertEquals(List.of("in progress"), node.query(question));
    answering.countDown();
    awaitWritable();
    assertEquals(List.of("committed"), node.query(question));
    assertEquals(List.of("10"), node.query("SELECT v FROM t WHERE id = 1"));
  }

  @Test
  void aStatementThatWouldWriteIsRefusedAndItsSessionGoesOn() throws SQLException {
    try (Connection connection = node.connect()) {
      answerNothing();
      openCommit("INSERT INTO t VALUES (3, 3)");
      for (String text :
          List.of(
              "UPDATE t SET v = 0 WHERE id = 2",
              "INSERT INTO t VALUES (4, 4)",
              "SELECT v FROM t WHERE id = 2 FOR UPDATE",
              "CREATE TABLE u (id int)")) {
        assertEquals("57P03", refused(connection, text).getSQLState(), text);
      }
      assertEquals(List.of(), OneNode.query(connection, "SELECT * FROM gauss.locks"));
      assertEquals(List.of("2"), OneNode.query(connection, "SELECT v FROM t WHERE id = 2"));
      answering.countDown();
      awaitWritable();
      try (Statement statement = connection.createStatement()) {
        assertEquals(1, statement.executeUpdate("UPDATE t SET v = 3 WHERE id = 2"));
      }
    }
    assertEquals(List.of("1|1", "2|3", "3|3"), node.query("SELECT * FROM t ORDER BY id"));
  }

  @Test
  void aTransactionThatHasWrittenIsRefusedItsCommitAndIsRolledBack() throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeUpdate("UPDATE t SET v = 20 WHERE id = 2");
      writeBeside(); // an undo segment that is made while the log is stalled would be waited for
      answerNothing();
      openCommit("INSERT INTO t VALUES (3, 3)");
      assertEquals("57P03", assertThrows(SQLException.class, connection::commit).getSQLState());
      assertEquals(List.of("2"), node.query("SELECT v FROM t WHERE id = 2"));
      answering.countDown();
      awaitWritable();
      connection.rollback();
    }
    assertEquals(List.of("1|1", "2|2", "3|3"), node.query("SELECT * FROM t ORDER BY id"));
  }

  @Test
  void whatIsNotDurableIsNotShownAndItsReaderKeepsTheSession() throws SQLException {
    try (Connection connection = node.connect()) {
      answerNothing();
      openCommit("UPDATE t SET v = 10 WHERE id = 1");
      assertEquals("57P03", refused(connection, "SELECT v FROM t").getSQLState());
      assertEquals(List.of("2"), OneNode.query(connection, "SELECT v FROM t WHERE id = 2"));
      answering.countDown();
      awaitWritable();
      assertEquals(List.of("10"), OneNode.query(connection, "SELECT v FROM t WHERE id = 1"));
    }
  }

  /**
   * A value that was answered is not given out again, though the node be killed before the log is
   * back.
   */
  @Test
  void aValueOfASequenceIsNotAnsweredUnlessItsRangeIsDurable() throws SQLException {
    execute("DROP SEQUENCE IF EXISTS s", "CREATE SEQUENCE s");
    answerNothing();
    try (Connection connection = node.connect()) {
      assertEquals("57P03", refused(connection, "SELECT nextval('s')").getSQLState());
    }
    answering.countDown();
    awaitWritable();
    assertEquals(1, node.query("SELECT nextval('s')").size(), "it goes on");
    execute("DROP SEQUENCE IF EXISTS s");
  }

  @Test
  void theNodeSaysThatItIsDegradedForAsLongAsItLasts() throws SQLException {
    answerNothing();
    openCommit("INSERT INTO t VALUES (3, 3)");
    awaitState("degraded: writes are refused");
    answering.countDown();
    awaitState("UP");
  }

  private void awaitState(String begin) {
    while (!node.node.engine().health().state().startsWith(begin)) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
