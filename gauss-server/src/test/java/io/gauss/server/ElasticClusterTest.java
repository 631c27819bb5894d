package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compute and memory nodes are added and drained while clients move money between accounts. */
@Tag("long")
class ElasticClusterTest {
  private static final int WRITERS = 4;
  private static final int STEADY = 60;
  private static final int FIRST = 1;
  private static final int DRAINED = 2;
  private static final int ADDED = 3;
  private static final int FIRST_MEMORY = 101;
  private static final int ADDED_MEMORY = 102;

  @TempDir private Path directory;

  @Test
  void nodesComeAndGoUnderLoad() throws Exception {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.err.println("ElasticClusterTest gauss.seed=" + seed);
    try (ClusterProcesses cluster =
        new ClusterProcesses(
            directory, Map.of("pool.size", "32MB", "drain.grace", "20"), Map.of(), 2, 1)) {
      cluster.start();
      // A client that cannot connect tries another node.
      try (TransferLoad load = new TransferLoad(cluster, List.of(FIRST, DRAINED, ADDED))) {
        load.createTables();
        load.start(WRITERS, seed);
        load.progress().await(STEADY);
        cluster.addMemory();
        cluster.addCompute(ADDED);
        load.progress().await(STEADY);
        assertEquals(Set.of("1 UP", "2 UP", "3 UP"), computeNodes(cluster));
        long begin = System.nanoTime();
        cluster.awaitBuckets(Map.of(FIRST_MEMORY, 2048, ADDED_MEMORY, 2048));
        System.err.println("ElasticClusterTest: balanced in " + millisSince(begin) + " ms");
        load.progress().await(STEADY);
        long drain = System.nanoTime();
        cluster.drainMemory(FIRST_MEMORY);
        System.err.println("ElasticClusterTest: drained in " + millisSince(drain) + " ms");
        cluster.awaitBuckets(Map.of(ADDED_MEMORY, 4096));
        load.progress().await(STEADY);
        cluster.drainCompute(DRAINED);
        load.progress().await(STEADY);
        assertEquals(Set.of("1 UP", "3 UP"), computeNodes(cluster));
        load.close();
        System.err.println("ElasticClusterTest: " + load.summary());
        assertEquals(0, load.summary().getOrDefault("OPEN", 0), "nothing was cut off");
        for (int node : List.of(FIRST, ADDED)) {
          load.check(node);
        }
      }
    }
  }

  private static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }

  private static Set<String> computeNodes(ClusterProcesses cluster) throws Exception {
    try (Connection connection = cluster.connect(ADDED);
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT id, state FROM gauss.nodes WHERE role = 'compute'")) {
      Set<String> found = new TreeSet<>();
      while (rows.next()) {
        found.add(rows.getInt(1) + " " + rows.getString(2).replaceFirst("degraded.*", "UP"));
      }
      return found;
    }
  }
}
