package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The views of schema gauss, pg_locks, and what tells of a transaction's end. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SystemViewsTest {
  private OneNode node;

  @BeforeAll
  void start(@TempDir Path data) throws SQLException {
    node = new OneNode(data);
    node.execute("CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1)");
  }

  @AfterAll
  void stop() {
    node.close();
  }

  @Test
  void theNodeTellsWhereItListensAndThatItIsUp() throws SQLException {
    assertEquals(
        List.of("1|compute|" + node.node.port() + "|UP"),
        node.query("SELECT id, role, port, state FROM gauss.nodes"));
  }

  @Test
  void theStreamIsDurableAsFarAsItWasAnswered() throws SQLException {
    assertEquals(
        List.of("1|t|t|ok"),
        node.query(
            "SELECT id, durable_offset > 0, durable_offset <= reserved_offset, state"
                + " FROM gauss.streams"));
  }

  @Test
  void aSessionWhoseRoleWasDroppedIsShownWithoutAName() throws SQLException {
    node.execute("CREATE ROLE gone LOGIN");
    String url = "jdbc:postgresql://127.0.0.1:%d/gauss?user=gone".formatted(node.node.port());
    try (Connection left = DriverManager.getConnection(url)) {
      assertEquals(
          List.of("1"), node.query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'gone'"));
      node.execute("DROP ROLE gone");
      assertEquals(
          List.of("1"), node.query("SELECT count(*) FROM pg_stat_activity WHERE usename IS NULL"));
      assertTrue(left.isValid(60));
    }
  }

  /** Automatic ANALYZE goes by these. */
  @Test
  void changedRowsCountForTheTableThatWasWrittenAndNotForThoseItRefersTo() throws SQLException {
    node.execute(
        "CREATE TABLE parent (id int PRIMARY KEY)",
        "CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent)",
        "INSERT INTO parent VALUES (1)",
        "INSERT INTO child VALUES (1, 1), (2, 1), (3, 1)",
        "UPDATE child SET id = id + 10 WHERE id > 1",
        "DELETE FROM child WHERE id = 1");
    assertEquals(
        List.of("child|3|2|1", "parent|1|0|0"),
        node.query(
            "SELECT relname, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables"
                + " WHERE relname IN ('parent', 'child') ORDER BY 1"));
  }

  @Test
  void aWaitForARowIsShownWithWhomItWaitsFor() throws Exception {
    try (Connection holder = node.connect();
        Connection waiter = node.connect();
        Statement hold = holder.createStatement();
        Statement wait = waiter.createStatement()) {
      holder.setAutoCommit(false);
      hold.execute("UPDATE t SET v = 2 WHERE id = 1");
      String xid = OneNode.query(holder, "SELECT gauss_current_xid()").getFirst();
      Thread waiting =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      wait.execute("UPDATE t SET v = 3 WHERE id = 1");
                    } catch (SQLException e) {
                      throw new IllegalStateException(e);
                    }
                  });
      String waits = "SELECT kind, waits_for_xid FROM gauss.locks WHERE NOT granted";
      List<String> seen = node.query(waits);
      while (seen.isEmpty()) {
        assertTrue(waiting.isAlive());
        seen = node.query(waits);
      }
      assertEquals(List.of("row|" + xid), seen);
      assertEquals(
          List.of(xid + "|" + xid),
          node.query(
              "SELECT w.transactionid, h.transactionid FROM pg_locks w JOIN pg_locks h"
                  + " ON h.transactionid = w.transactionid AND h.granted WHERE NOT w.granted"));
      assertEquals(
          List.of("t|RowExclusiveLock"),
          node.query("SELECT tablename, mode FROM gauss.locks WHERE granted AND xid = " + xid));
      assertEquals(
          List.of("waiting"),
          node.query("SELECT state FROM gauss.transactions WHERE waiting_ms IS NOT NULL"));
      holder.rollback();
      waiting.join();
      assertEquals(
          List.of("t"), node.query("SELECT waits > 0 FROM gauss.waits WHERE cause = 'row'"));
    }
  }

  @Test
  void aTransactionsStatusIsToldAfterItsEnd() throws SQLException {
    try (Connection writer = node.connect();
        Statement statement = writer.createStatement()) {
      writer.setAutoCommit(false);
      statement.execute("INSERT INTO t VALUES (2, 2)");
      String first = OneNode.query(writer, "SELECT gauss_current_xid()").getFirst();
      assertEquals(List.of("in progress"), node.query("SELECT gauss_txn_status(" + first + ")"));
      writer.commit();
      assertEquals(List.of("committed"), node.query("SELECT gauss_txn_status(" + first + ")"));
      String second = OneNode.query(writer, "SELECT gauss_current_xid()").getFirst();
      writer.rollback();
      assertEquals(List.of("aborted"), node.query("SELECT gauss_txn_status(" + second + ")"));
      assertEquals(List.of("unknown"), node.query("SELECT gauss_txn_status(0)"));
    }
  }

  @Test
  void statementsAreCountedByKindAndLatency() throws SQLException {
    node.query("SELECT v FROM t WHERE id = 1");
    assertEquals(
        List.of("t|t|t"),
        node.query(
            "SELECT s.calls > 0, s.p50_ms <= s.p99_ms, s.calls <= (SELECT sum(l.calls) FROM"
                + " gauss.statement_latencies l WHERE l.kind = s.kind)"
                + " FROM gauss.statements s WHERE s.kind = 'SELECT'"));
  }

  @Test
  void ddlTakesTime() throws SQLException {
    node.execute("CREATE TABLE d (id int PRIMARY KEY)");
    assertEquals(
        List.of("t"), node.query("SELECT total_ms > 0 FROM gauss.statements WHERE kind = 'DDL'"));
  }

  @Test
  void thePoolsPagesAreThoseOfTablesAndTheRest() throws SQLException {
    assertEquals(List.of("table"), node.query("SELECT kind FROM gauss.buffer WHERE name = 't'"));
    assertEquals(List.of("2048"), node.query("SELECT sum(pages) FROM gauss.buffer"));
  }
}
