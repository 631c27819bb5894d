package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.node.StorageNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SQL on a compute node whose pages come from memory nodes, which come and go. */
@Timeout(300)
class MemoryTierTest {
  private static final String PROBLEMS =
      "SELECT name, problem FROM gauss.store_check WHERE problem IS NOT NULL";
  private static final int ONE = 101;
  private static final int OTHER = 102;

  @TempDir private Path directory;
  private StorageNodes storage;
  private MemoryNodes memory;

  @BeforeEach
  void start() throws IOException {
    storage = new StorageNodes(directory, 1);
    storage.start();
    storage.awaitWell();
    memory = new MemoryNodes(directory, storage);
    memory.start(2);
  }

  @AfterEach
  void stop() {
    memory.close();
    storage.close();
  }

  private OneNode compute() {
    return compute(Map.of());
  }

  private OneNode compute(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("cluster.key", storage.key().toString());
    settings.put(
        "storage.nodes",
        storage.addresses().stream()
            .map(StorageAddress::toString)
            .collect(Collectors.joining(",")));
    settings.putAll(more);
    return new OneNode(directory.resolve("compute"), settings);
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
  void whatWasWrittenIsThereAfterTheNodeHasComeBack() throws Exception {
    List<String> before;
    try (OneNode compute = compute()) {
      fill(compute);
      before = compute.query("SELECT * FROM t ORDER BY id");
      assertEquals(List.of(), compute.query(PROBLEMS));
    }
    try (OneNode compute = compute()) {
      assertEquals(before, compute.query("SELECT * FROM t ORDER BY id"));
      assertEquals(List.of(), compute.query(PROBLEMS));
    }
  }
}
