package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All compute nodes of a cluster stop, and come back one after the other. */
@Timeout(300)
class AllNodesStoppedTest {
  /** The last one to stop has nobody who takes over what it leaves, until another one starts. */
  @Test
  void whoeverStartsFirstTellsWhatTheOthersHaveCommitted(@TempDir Path directory) throws Exception {
    try (WholeCluster cluster = new WholeCluster(directory, 1, 1, 2, Map.of())) {
      cluster.compute(2).execute("CREATE TABLE t (id int PRIMARY KEY)");
      cluster.compute(2).execute("INSERT INTO t VALUES (1), (2)");
      cluster.stop(1);
      cluster.stop(2);

      cluster.start(1);
      assertEquals(2, rows(cluster, 1));
      cluster.start(2);
      cluster.compute(2).execute("INSERT INTO t VALUES (3)");
      assertEquals(3, rows(cluster, 1));
    }
  }

  private static int rows(WholeCluster cluster, int node) throws Exception {
    try (Connection connection = cluster.compute(node).connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT count(*) FROM t")) {
      result.next();
      return result.getInt(1);
    }
  }
}
