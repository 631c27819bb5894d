package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Views beyond what one script shows: restarts, sessions that have plans already. */
class ViewTest {
  @TempDir Path data;

  @Test
  void aViewIsThereAfterARestartWithTheNamesOfItsMaking() throws SQLException {
    try (OneNode node = new OneNode(data)) {
      node.execute(
          "CREATE SCHEMA s",
          "CREATE TABLE s.t (a int PRIMARY KEY, b text)",
          "INSERT INTO s.t VALUES (1, 'one'), (2, 'two')",
          "SET search_path = s; CREATE VIEW public.v AS SELECT b AS name, t.a FROM t WHERE a > 1",
          "ALTER TABLE s.t RENAME COLUMN b TO c",
          "ALTER TABLE s.t RENAME TO u");
    }
    try (OneNode node = new OneNode(data)) {
      assertEquals(List.of("two|2"), node.query("SELECT * FROM v"));
      assertEquals(
          List.of(" SELECT b AS name, t.a FROM s.u AS t WHERE a > 1;"),
          node.query("SELECT pg_get_viewdef('v'::regclass)"));
      SQLException refused = assertThrows(SQLException.class, () -> node.execute("DROP TABLE s.u"));
      assertEquals("2BP01", refused.getSQLState());
      node.execute("DROP TABLE s.u CASCADE");
      SQLException gone = assertThrows(SQLException.class, () -> node.query("SELECT * FROM v"));
      assertEquals("42P01", gone.getSQLState());
    }
  }

  @Test
  void aStatementThatWasPreparedSeesTheReplacedView() throws SQLException {
    try (OneNode node = new OneNode(data)) {
      node.execute(
          "CREATE TABLE t (a int PRIMARY KEY)",
          "INSERT INTO t VALUES (1), (2), (3)",
          "CREATE VIEW v AS SELECT a FROM t");
      try (Connection connection = node.connect();
          PreparedStatement count = connection.prepareStatement("SELECT count(*) FROM v")) {
        for (int i = 0; i < 6; i++) { // pgjdbc prepares on the server at the fifth
          assertEquals(3, one(count));
        }
        node.execute("CREATE OR REPLACE VIEW v AS SELECT a FROM t WHERE a > 2");
        assertEquals(1, one(count));
        node.execute("DROP VIEW v");
        SQLException gone = assertThrows(SQLException.class, () -> one(count));
        assertEquals("42P01", gone.getSQLState());
      }
    }
  }

  private static long one(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery()) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
