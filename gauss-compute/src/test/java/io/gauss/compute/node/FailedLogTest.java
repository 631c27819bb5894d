package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A log that has failed refuses writers until the node starts anew, rollbacks among them. That is
 * no broken invariant, so the node goes on answering readers; each test fails if one broke.
 */
@Timeout(300)
class FailedLogTest {
  private static final String IO_ERROR = "58030";

  private OneNode node;

  @BeforeEach
  void start(@TempDir Path data) throws SQLException {
    node = new OneNode(data);
    node.execute(
        "CREATE TABLE t (id int PRIMARY KEY, v int)",
        "INSERT INTO t VALUES (1, 1), (2, 2)",
        "CREATE SEQUENCE s");
  }

  /** Ends the sessions, too. */
  @AfterEach
  void stop() {
    node.close();
  }

  private void failLog() {
    node.node.engine().log().fail(new IOException("the disk of the test is gone"));
  }

  private static void refused(Statement statement, String text) {
    SQLException refusal = assertThrows(SQLException.class, () -> statement.execute(text));
    assertEquals(IO_ERROR, refusal.getSQLState(), refusal.getMessage());
  }

  @Test
  void aSessionWithATemporaryTableEndsThoughItsTransactionCannotBeRolledBack() throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TEMPORARY TABLE mine (id int)");
      connection.setAutoCommit(false);
      statement.execute("UPDATE t SET v = 3 WHERE id = 1");
      failLog();
    }
    assertEquals(List.of("1|1", "2|2"), node.query("SELECT * FROM t ORDER BY id"));
  }

  @Test
  void sequencesAreRefusedAsOftenAsTheyAreAsked() throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      failLog();
      refused(statement, "SELECT nextval('s')");
      refused(statement, "SELECT nextval('s')");
      refused(statement, "SELECT setval('s', 5)");
      refused(statement, "SELECT setval('s', 5)");
    }
    assertEquals(List.of("2"), node.query("SELECT count(*) FROM t"));
  }
}
