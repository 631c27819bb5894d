package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.node.StorageNodes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Results fetched in portions, while other statements run in between. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CursorTest {
  private static final int ROWS = 1000;
  private ComputeNode node;

  @BeforeAll
  void start(@TempDir Path data) {
    node =
        ComputeNode.start(
            NodeSettings.load(data, 0, Map.of("pool.size", "16MB")), new SimpleMeterRegistry());
  }

  @AfterAll
  void stop() {
    CheckedNode.close(node);
  }

  @Test
  void aSuspendedResultSeesWhatWasThereWhenItBegan() throws SQLException {
    try (Connection session = connect();
        Connection other = connect();
        Statement setup = other.createStatement()) {
      setup.execute("CREATE TABLE t (id int PRIMARY KEY, v int)");
      for (int i = 0; i < ROWS; i++) {
        setup.addBatch("INSERT INTO t VALUES (" + i + ", 1)");
      }
      setup.executeBatch();
      session.setAutoCommit(false);
      try (Statement reader = session.createStatement();
          Statement writer = session.createStatement()) {
        reader.setFetchSize(7);
        try (ResultSet rows = reader.executeQuery("SELECT id, v FROM t ORDER BY id")) {
          for (int i = 0; i < ROWS; i++) {
            assertTrue(rows.next());
            assertEquals(i, rows.getInt(1));
            assertEquals(1, rows.getInt(2));
            if (i % 100 == 0) {
              setup.executeUpdate("UPDATE t SET v = v + 1 WHERE id >= " + (i + 50));
              assertEquals(1, writer.executeUpdate("UPDATE t SET v = 0 WHERE id = " + (i + 40)));
              setup.executeUpdate("DELETE FROM t WHERE id = " + (i + 99));
            }
          }
          assertFalse(rows.next());
        }
        try (ResultSet rows = writer.executeQuery("SELECT count(*) FROM t")) {
          assertTrue(rows.next());
          assertEquals(ROWS - 10, rows.getInt(1));
        }
      }
      session.commit();
    }
    // Those of ANALYZE in the background are among them.
    StorageNodes.await("no snapshot is left", () -> node.transactions().openSnapshots() == 0);
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss".formatted(node.port()));
  }
}
