package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.node.StorageNodes;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Page stores delete the pages of dropped tables, once nothing can use them any more. */
@Timeout(300)
class DroppedTablesTest {
  private static final String PROBLEMS =
      "SELECT problem FROM gauss.store_check WHERE problem IS NOT NULL";
  private static final String FILL =
      "INSERT INTO %s SELECT g, repeat(md5(g::text), 30) FROM generate_series(1, %d) AS g";

  private static final List<Integer> STORAGE_NODES = List.of(201, 202, 203);

  @TempDir private Path directory;

  private static double deleted(MeterRegistry registry) {
    return registry.get("gauss.pages.spaces.deleted").functionCounter().count();
  }

  /** Bytes of the files in which pages lie. */
  private static long size(Path store) {
    try (Stream<Path> files = Files.walk(store)) {
      return files
          .filter(file -> file.toString().endsWith(".blob"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    } catch (UncheckedIOException | IOException e) {
      return Long.MAX_VALUE; // a file that was deleted meanwhile
    }
  }

  /** Redo enough for another checkpoint. */
  private static void write(OneNode node) {
    try {
      node.execute("UPDATE other SET v = repeat(md5(v), 30)");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aDroppedTableGivesItsRoomBackAndTheOthersStay() throws Exception {
    try (OneNode node = new OneNode(directory, Map.of("checkpoint.bytes", "1MB"))) {
      node.execute(
          "CREATE TABLE large (id int PRIMARY KEY, v text)",
          "CREATE TABLE other (id int PRIMARY KEY, v text)",
          FILL.formatted("other", 500),
          FILL.formatted("large", 15_000),
          "CREATE INDEX large_v ON large (id, v)",
          "CREATE TABLE emptied AS SELECT * FROM large WHERE id < 2000");
      StorageNodes.await(
          "the pages on disk",
          () -> {
            write(node);
            return size(directory) > 15_000_000 && size(directory) != Long.MAX_VALUE;
          });
      node.execute("TRUNCATE emptied", "DROP TABLE large");
      StorageNodes.await(
          "the pages to be deleted",
          () -> {
            write(node);
            return deleted(node.registry) >= 3 && size(directory) < 10_000_000;
          });
      // Counted once the files are gone.
      StorageNodes.await(
          "the room to be counted",
          () -> node.registry.get("gauss.pages.reclaimed").functionCounter().count() > 5e6);
      assertEquals(List.of("500"), node.query("SELECT count(*) FROM other"));
      assertEquals(List.of("0"), node.query("SELECT count(*) FROM emptied"));
      assertEquals(List.of(), node.query(PROBLEMS));
      node.execute("CREATE TABLE large (id int)", "INSERT INTO large VALUES (1)");
    }
    try (OneNode node = new OneNode(directory)) {
      assertEquals(List.of("1"), node.query("SELECT * FROM large"));
      assertEquals(List.of("500"), node.query("SELECT count(*) FROM other"));
      assertEquals(List.of(), node.query(PROBLEMS));
    }
  }

  /** Every storage node deletes them, though other compute nodes still have pages in memory. */
  @Test
  void allStorageNodesDeleteThePagesOnceNoSnapshotIsOlderThanTheDrop() throws Exception {
    try (WholeCluster cluster = new WholeCluster(directory, 3, 1, 2, Map.of())) {
      OneNode first = cluster.compute(1);
      OneNode second = cluster.compute(2);
      first.execute(
          "CREATE TABLE gone (id int PRIMARY KEY, v text)",
          "CREATE TABLE other (id int PRIMARY KEY, v text)",
          FILL.formatted("gone", 500),
          FILL.formatted("other", 50));
      second.execute("UPDATE gone SET v = v || 'x' WHERE id % 10 = 0");
      assertEquals(List.of("500"), second.query("SELECT count(*) FROM gone"));
      try (Connection old = second.connect();
          Statement statement = old.createStatement()) {
        old.setAutoCommit(false);
        old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        statement.execute("SELECT count(*) FROM other");
        first.execute("DROP TABLE gone");
        for (int i = 0; i < 3; i++) {
          first.execute("INSERT INTO other VALUES (%d, 'more')".formatted(1000 + i));
          checkpointAll(cluster);
          Thread.sleep(1000); // the node looks for what may be given back once a second
        }
        for (int node : STORAGE_NODES) {
          assertEquals(0, deleted(cluster.storage().meters(node)), "a snapshot is older");
        }
        old.rollback();
      }
      StorageNodes.await(
          "every storage node to delete",
          () -> {
            write(first);
            checkpointAll(cluster);
            return STORAGE_NODES.stream()
                .allMatch(node -> deleted(cluster.storage().meters(node)) == 1);
          });
      for (OneNode node : List.of(first, second)) {
        assertEquals(List.of("53"), node.query("SELECT count(*) FROM other"));
        assertEquals(List.of(), node.query(PROBLEMS));
      }
      cluster.stop(1);
      cluster.start(1);
      assertEquals(List.of("53"), cluster.compute(1).query("SELECT count(*) FROM other"));
    }
  }

  private static void checkpointAll(WholeCluster cluster) {
    for (int node : STORAGE_NODES) {
      cluster.storage().node(node).checkpoint();
    }
  }
}
