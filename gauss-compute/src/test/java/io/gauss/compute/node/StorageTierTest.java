package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.node.StorageNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SQL over three storage nodes, and that what each of them keeps is what the compute node has. */
@Timeout(300)
class StorageTierTest {
  private static final String PROBLEMS =
      "SELECT name, problem FROM gauss.store_check WHERE problem IS NOT NULL";
  private static final int DAMAGED = 203;

  @TempDir private Path directory;
  private StorageNodes nodes;

  @BeforeEach
  void start() throws IOException {
    nodes = new StorageNodes(directory, 3);
    nodes.start();
    nodes.awaitWell();
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private OneNode compute() {
    return new OneNode(
        directory.resolve("compute"),
        Map.of(
            "cluster.key",
            nodes.key().toString(),
            "storage.nodes",
            nodes.addresses().stream()
                .map(StorageAddress::toString)
                .collect(Collectors.joining(","))));
  }

  private static void fill(OneNode compute) throws SQLException {
    compute.execute(
        "CREATE TABLE t (id int PRIMARY KEY, v int, u text UNIQUE)",
        "INSERT INTO t SELECT g, g % 7, 'u' || g FROM generate_series(0, 4999) AS g",
        "UPDATE t SET v = v + 1 WHERE id % 3 = 0",
        "DELETE FROM t WHERE id % 5 = 4",
        "BEGIN; UPDATE t SET v = 0; ROLLBACK");
  }

  @Test
  void everyStorageNodeHasThePagesThatTheComputeNodeHas() throws Exception {
    try (OneNode compute = compute()) {
      fill(compute);
      assertEquals(List.of(), compute.query(PROBLEMS));
      nodes.stop(DAMAGED);
      compute.execute("UPDATE t SET v = v + 1");
      assertEquals(List.of(), compute.query(PROBLEMS), "a node that is away is left out");
      nodes.start(DAMAGED);
      nodes.awaitWell();
      assertEquals(List.of(), compute.query(PROBLEMS));
    }
    try (OneNode compute = compute()) {
      assertEquals(List.of("4000"), compute.query("SELECT count(*) FROM t"));
      assertEquals(List.of(), compute.query(PROBLEMS));
    }
  }

  @Test
  void blocksThatTheDiskOfOneStorageNodeHasDamagedAreRepaired() throws Exception {
    try (OneNode compute = compute()) {
      fill(compute);
      List<String> before = compute.query("SELECT * FROM t ORDER BY id");
      nodes.node(DAMAGED).checkpoint();
      nodes.stop(DAMAGED);
      damagePages();
      nodes.start(DAMAGED);
      compute.execute("UPDATE t SET v = v + 1", "UPDATE t SET v = v - 1");
      assertEquals(before, compute.query("SELECT * FROM t ORDER BY id"));
      StorageNodes.await(
          "what was damaged is met and repaired",
          () -> canCheckpoint() && problems(compute).isEmpty() && repaired() > 0);
      nodes.awaitWell();
      assertEquals(before, compute.query("SELECT * FROM t ORDER BY id"));
      // The check reads the space directory only when a page is missing: it is to be met before, by
      // a checkpoint, which folds the change of it once the comparison has made the node wait for
      // it.
      compute.execute("CREATE TABLE directory_is_written (id int)");
      // A damaged page that nobody has read since is met here first, and repaired soon after: also
      // one that came to memory with the last of these checks, behind the comparison.
      StorageNodes.await(
          "no page in memory differs from any storage node's",
          () -> problems(compute).isEmpty() && hasUndamagedCopies(compute) && canCheckpoint());
    }
  }

  private static boolean hasUndamagedCopies(OneNode compute) {
    try {
      compute.check();
      return true;
    } catch (GaussException e) {
      assertEquals(SqlState.DATA_CORRUPTED, e.state());
      return false;
    }
  }

  private double repaired() {
    return nodes.meters(DAMAGED).get("gauss.pages.repaired").functionCounter().count();
  }

  private static List<String> problems(OneNode compute) {
    try {
      return compute.query(PROBLEMS);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** It fails as long as it meets damage. */
  private boolean canCheckpoint() {
    try {
      nodes.node(DAMAGED).checkpoint();
      return true;
    } catch (GaussException e) {
      assertEquals(SqlState.DATA_CORRUPTED, e.state());
      return false;
    }
  }

  /** Turns bits of pages, some 50 KB apart. */
  private void damagePages() throws IOException {
    int found = 0;
    try (var files = Files.walk(nodes.directory(DAMAGED).resolve("pages"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".blob")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        for (int at = 5000; at < bytes.length - 5000; at += 50_000) {
          bytes[at] ^= 1;
          found++;
        }
        Files.write(file, bytes);
      }
    }
    assertTrue(found > 3, "there is something to damage");
  }
}
