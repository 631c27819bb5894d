package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ALTER TABLE across restarts, old snapshots and plans made before it. */
class AlterTableTest {
  private static final int ROWS = 3000;

  private static void load(OneNode node) throws SQLException {
    node.execute(
        "CREATE TABLE p (id int, a text)",
        "INSERT INTO p SELECT i, 'row ' || i FROM generate_series(%d, 1, -1) AS i".formatted(ROWS),
        "CREATE INDEX p_a ON p (a)");
  }

  @Test
  void changesOfTablesSurviveARestart(@TempDir Path data) throws SQLException {
    try (OneNode node = new OneNode(data)) {
      load(node);
      node.execute(
          "ALTER TABLE p ADD PRIMARY KEY (id), ADD COLUMN b int DEFAULT 7",
          "CREATE TABLE c (x int, pid int)",
          "INSERT INTO c SELECT i, i FROM generate_series(1, 10) AS i",
          "ALTER TABLE c ADD FOREIGN KEY (pid) REFERENCES p, DROP COLUMN x",
          "ALTER TABLE p RENAME COLUMN a TO name",
          "INSERT INTO p VALUES (0, 'last', 8)");
    }
    try (OneNode node = new OneNode(data)) {
      assertEquals(
          List.of((ROWS + 1) + "|" + (7L * ROWS + 8)),
          node.query("SELECT count(*), sum(b) FROM p"));
      assertEquals(List.of("17|row 17|7"), node.query("SELECT * FROM p WHERE name = 'row 17'"));
      assertEquals(List.of("17|row 17|7"), node.query("SELECT * FROM p WHERE id = 17"));
      assertEquals("23503", stateOf(node, "DELETE FROM p WHERE id = 3"));
      assertEquals("23505", stateOf(node, "INSERT INTO p VALUES (3, 'again')"));
      assertEquals(
          List.of(), node.query("SELECT * FROM gauss.store_check WHERE problem IS NOT NULL"));
    }
  }

  /** A key's rows are sorted only when they do not come in its order. */
  @Test
  void rowsComeUnderTheirNewKeyWhateverTheirOrderWas(@TempDir Path data) throws SQLException {
    try (OneNode node = new OneNode(data)) {
      String little = "SET maintenance_work_mem = '1MB'";
      for (String order : List.of("i", "-i", "(i * 7919) % 10007", "i / 2 * 2 + 1 - i % 2")) {
        node.execute(
            "CREATE TABLE k (a text, id int NOT NULL, big bigint)",
            "INSERT INTO k SELECT repeat('x', i %% 300), %s, i FROM generate_series(1, 10000) i"
                .formatted(order),
            "CREATE INDEX k_even ON k (big, id) WHERE id % 2 = 0");
        String sums = "SELECT count(*), sum(id), sum(big), sum(length(a)) FROM k";
        List<String> before = node.query(sums);
        node.execute(little, "ALTER TABLE k ADD PRIMARY KEY (id)");
        assertEquals(before, node.query(sums), order);
        node.execute("ALTER TABLE k ALTER COLUMN big TYPE numeric(12, 1)"); // the key stays
        assertEquals(
            List.of("t"),
            node.query(
                "SELECT array_agg(id) = array_agg(id ORDER BY id) FROM (SELECT id FROM k ORDER BY"
                    + " id) s"));
        assertEquals(
            List.of(), node.query("SELECT * FROM gauss.store_check WHERE problem IS NOT NULL"));
        node.execute("ALTER TABLE k DROP CONSTRAINT k_pkey");
        assertEquals("23505", stateOf(node, twice("SELECT max(id) FROM k")));
        assertEquals("23505", stateOf(node, twice("SELECT min(id) FROM k")));
        node.execute("DROP TABLE k");
      }
    }
  }

  /** A text of two statements, of which the first adds a row with a key that is there. */
  private static String twice(String key) {
    return "INSERT INTO k (id) (%s); ALTER TABLE k ADD PRIMARY KEY (id)".formatted(key);
  }

  @Test
  void whatWasNotCommittedIsNotThereAfterARestart(@TempDir Path data) throws SQLException {
    try (OneNode node = new OneNode(data)) {
      load(node);
      try (Connection connection = node.connect();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("ALTER TABLE p ADD PRIMARY KEY (id), ADD COLUMN b int DEFAULT 7");
        statement.execute("DELETE FROM p WHERE id > 10");
        connection.rollback();
      }
    }
    try (OneNode node = new OneNode(data)) {
      assertEquals(List.of(ROWS + ""), node.query("SELECT count(*) FROM p"));
      assertEquals(List.of("17|row 17"), node.query("SELECT * FROM p WHERE a = 'row 17'"));
      node.execute("INSERT INTO p VALUES (17, 'twice')");
    }
  }

  /**
   * What refers to nothing then is refused by ALTER TABLE itself, which looks at all rows, also by
   * one that changes nothing: PostgreSQL forgets the check there, and commits the row.
   */
  @Test
  void aKeyThatIsToBeCheckedOutlivesAChangeOfTheOtherTablesType(@TempDir Path data)
      throws SQLException {
    try (OneNode node = new OneNode(data);
        Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      node.execute(
          "CREATE TABLE p (id int PRIMARY KEY)",
          "INSERT INTO p VALUES (1)",
          "CREATE TABLE c (id int PRIMARY KEY,"
              + " pid int REFERENCES p DEFERRABLE INITIALLY DEFERRED)");
      connection.setAutoCommit(false);
      statement.execute("INSERT INTO c VALUES (9, 9)");
      SQLException orphan =
          assertThrows(
              SQLException.class,
              () -> statement.execute("ALTER TABLE p ALTER COLUMN id TYPE int"));
      assertEquals("23503", orphan.getSQLState());
      connection.rollback();
      statement.execute("INSERT INTO c VALUES (1, 1), (9, 9)");
      statement.execute("UPDATE c SET pid = 1 WHERE id = 9"); // its first key is pending as well
      statement.execute("ALTER TABLE p ALTER COLUMN id TYPE numeric");
      statement.execute("INSERT INTO c VALUES (2, 1)");
      connection.commit();
      assertEquals(List.of("1|1", "2|1", "9|1"), OneNode.query(connection, "SELECT * FROM c"));
      connection.rollback();
      statement.execute("INSERT INTO c VALUES (10, 10)");
      orphan = assertThrows(SQLException.class, connection::commit);
      assertEquals("23503", orphan.getSQLState());
    }
  }

  @Test
  void anOldSnapshotDoesNotReadARewrittenTableAsEmpty(@TempDir Path data) throws SQLException {
    try (OneNode node = new OneNode(data);
        Connection old = node.connect();
        Statement statement = old.createStatement()) {
      load(node);
      old.setAutoCommit(false);
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.executeQuery("SELECT 1").close();
      node.execute("ALTER TABLE p ADD COLUMN b int DEFAULT 7");
      assertEquals(List.of("17|row 17|7"), OneNode.query(old, "SELECT * FROM p WHERE id = 17"));
      node.execute("CREATE TABLE other (id int)");
      old.rollback();
      statement.executeQuery("SELECT 1").close();
      node.execute("ALTER TABLE p ADD PRIMARY KEY (id)");
      SQLException refused =
          assertThrows(SQLException.class, () -> OneNode.query(old, "SELECT * FROM p"));
      assertEquals("40001", refused.getSQLState());
    }
  }

  @Test
  void statementsPreparedBeforeReadTheTableAsItIs(@TempDir Path data) throws SQLException {
    try (OneNode node = new OneNode(data);
        Connection connection = node.connect()) {
      load(node);
      connection.unwrap(org.postgresql.PGConnection.class).setPrepareThreshold(1);
      try (PreparedStatement read = connection.prepareStatement("SELECT a FROM p WHERE id = ?");
          PreparedStatement write =
              connection.prepareStatement("UPDATE p SET a = a || '!' WHERE id = ?")) {
        for (int i = 1; i <= 3; i++) {
          assertEquals("row " + i, one(read, i));
          write.setInt(1, i);
          assertEquals(1, write.executeUpdate());
        }
        node.execute(
            "ALTER TABLE p ADD COLUMN b int DEFAULT 7", "ALTER TABLE p ADD PRIMARY KEY (id)");
        for (int i = 1; i <= 3; i++) {
          assertEquals("row " + i + "!", one(read, i));
          write.setInt(1, i);
          assertEquals(1, write.executeUpdate());
        }
        node.execute("ALTER TABLE p DROP COLUMN b, ALTER COLUMN id TYPE bigint");
        assertEquals("row 3!!", one(read, 3));
      }
    }
  }

  private static String one(PreparedStatement read, int id) throws SQLException {
    read.setInt(1, id);
    try (ResultSet rows = read.executeQuery()) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static String stateOf(OneNode node, String text) {
    return assertThrows(SQLException.class, () -> node.execute(text)).getSQLState();
  }
}
