package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.node.StorageNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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

  /** Buckets; enough that some of each table are among them. */
  private static final int MOVED = Integer.getInteger("gauss.buckets", 100);

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

  @Test
  void tablesLargerThanTheBufferPoolGoToTheMemoryNodesAndComeBack() throws Exception {
    try (OneNode compute = compute()) {
      fillLarge(compute);
      for (int round = 0; round < 2; round++) {
        compute.execute("UPDATE large SET v = v + 1");
      }
      assertEquals(
          List.of("60000|2|2"), compute.query("SELECT count(*), min(v), max(v) FROM large"));
      assertTrue(gets(compute, "home") > 0, "some come from memory nodes");
      assertTrue(gets(compute, "storage") > 0, "some come from storage nodes");
      assertEquals(List.of(), compute.query(PROBLEMS));
    }
  }

  @Test
  void pagesAreForgottenThatStorageNodesHaveSoThatADirectoryServesMoreThanItHolds()
      throws Exception {
    memory.close();
    memory.startNode(ONE, 2_600, "1MB");
    try (OneNode compute = compute(Map.of("pool.size", "8MB"))) {
      fillLarge(compute);
      for (int round = 0; round < 2; round++) {
        compute.execute("UPDATE large SET v = v + 1");
        assertEquals(
            List.of("60000|" + (round + 1)), compute.query("SELECT count(*), max(v) FROM large"));
      }
    }
  }

  private static void fillLarge(OneNode compute) throws SQLException {
    compute.execute(
        "CREATE TABLE large (id int PRIMARY KEY, v int, filler text)",
        "INSERT INTO large SELECT g, 0, repeat('x', 300) FROM generate_series(1, 60000) AS g");
  }

  /** The node hears by a version of the map that it is to serve those of another one, too. */
  private void awaitAllBuckets(int node) {
    StorageNodes.await("all buckets are served", () -> memory.node(node).buckets() == 4096);
  }

  private static double gets(OneNode compute, String source) {
    return compute.registry.get("gauss.pages.gets").tag("source", source).functionTimer().count();
  }

  @Test
  void whileMemoryNodesComeAndGoNoTransferIsLost() throws Exception {
    try (OneNode compute = compute()) {
      compute.execute(
          "CREATE TABLE account (id int PRIMARY KEY, balance int)",
          "INSERT INTO account SELECT g, 100 FROM generate_series(0, 999) AS g");
      fillLarge(compute);
      try (Transfers transfers = new Transfers(compute)) {
        transfers.awaitMore(100);
        memory.stop(ONE);
        transfers.awaitMore(100);
        memory.startNode(ONE);
        transfers.awaitMore(100);
        memory.stop(OTHER);
        transfers.awaitMore(100);
        awaitAllBuckets(ONE);
      }
      assertEquals(
          List.of("1000|100000"), compute.query("SELECT count(*), sum(balance) FROM account"));
      assertEquals(
          List.of("60000|0|0"), compute.query("SELECT count(*), min(v), max(v) FROM large"));
      assertEquals(List.of(), compute.query(PROBLEMS));
    }
    try (OneNode compute = compute()) {
      assertEquals(
          List.of("1000|100000"), compute.query("SELECT count(*), sum(balance) FROM account"));
    }
  }

  @Test
  void whileBucketsMoveToANodeThatCameAndAwayFromOneThatGoesNoTransferIsLost() throws Exception {
    memory.stop(OTHER);
    try (OneNode compute = compute()) {
      compute.execute(
          "CREATE TABLE account (id int PRIMARY KEY, balance int)",
          "INSERT INTO account SELECT g, 100 FROM generate_series(0, 999) AS g",
          "CREATE TABLE large (id int PRIMARY KEY, v int)",
          "INSERT INTO large SELECT g, 0 FROM generate_series(1, 20000) AS g");
      try (Transfers transfers = new Transfers(compute)) {
        transfers.awaitMore(100);
        memory.startNode(OTHER);
        memory.awaitBuckets(OTHER, MOVED);
        transfers.awaitMore(100);
        memory.drain(OTHER);
        transfers.awaitMore(100);
        awaitAllBuckets(ONE);
      }
      assertEquals(
          List.of("1000|100000"), compute.query("SELECT count(*), sum(balance) FROM account"));
      assertEquals(List.of(), compute.query(PROBLEMS));
    }
  }

  @Test
  void withoutAnyMemoryNodeWhatIsHereGoesOnAndTheRestComesWhenThereIsOne() throws Exception {
    try (OneNode compute = compute(Map.of("storage.timeout", "2"))) {
      fillLarge(compute);
      compute.execute(
          "CREATE TABLE small (id int PRIMARY KEY, v int)", "INSERT INTO small VALUES (1, 1)");
      compute.query("SELECT count(*) FROM small");
      memory.close();
      compute.execute("UPDATE small SET v = 2");
      assertEquals(List.of("1|2"), compute.query("SELECT * FROM small"));
      SQLException late =
          assertThrows(SQLException.class, () -> compute.query("SELECT count(*) FROM large"));
      assertEquals(SqlState.CANNOT_CONNECT_NOW.code(), late.getSQLState(), late.getMessage());
      StorageNodes.await(
          "the node says why", () -> problems(compute).equals(List.of("no memory node is there")));
      memory.start(1);
      StorageNodes.await("pages come again", () -> isRead(compute));
      assertEquals(List.of("1|2"), compute.query("SELECT * FROM small"));
    }
  }

  @Test
  void aNodeDoesNotStartWithoutTheMemoryNodesThatItsClusterHasHad() throws Exception {
    try (OneNode compute = compute()) {
      compute.execute("CREATE TABLE t (id int PRIMARY KEY)");
    }
    memory.close();
    GaussException alone =
        assertThrows(GaussException.class, () -> compute(Map.of("storage.timeout", "1")).close());
    assertEquals(SqlState.CANNOT_CONNECT_NOW, alone.state(), alone.getMessage());
    memory.start(1);
    try (OneNode compute = compute()) {
      assertEquals(List.of("0"), compute.query("SELECT count(*) FROM t"));
    }
  }

  private static List<String> problems(OneNode compute) {
    compute.node.engine().health().look();
    return compute.node.engine().health().problems().stream().map(p -> p.what()).toList();
  }

  private static boolean isRead(OneNode compute) {
    try {
      return compute.query("SELECT count(*) FROM large").equals(List.of("60000"));
    } catch (SQLException e) {
      return false;
    }
  }

  /** Clients that move money between accounts, and touch more pages than the pool holds. */
  private static final class Transfers implements AutoCloseable {
    private static final int CLIENTS = 4;
    private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    private final List<Future<?>> clients = new ArrayList<>();
    private final AtomicLong done = new AtomicLong();
    private volatile boolean stopped;

    Transfers(OneNode compute) {
      for (int i = 0; i < CLIENTS; i++) {
        Random random = new Random(i);
        clients.add(
            threads.submit(
                () -> {
                  try (Connection connection = compute.connect()) {
                    while (!stopped) {
                      transfer(connection, random);
                      done.incrementAndGet();
                    }
                  }
                  return null;
                }));
      }
    }

    private static void transfer(Connection connection, Random random) throws SQLException {
      int from = random.nextInt(500);
      int to = 500 + random.nextInt(500);
      int any = 1 + random.nextInt(60000);
      try (Statement statement = connection.createStatement()) {
        statement.execute("BEGIN");
        statement.execute("UPDATE account SET balance = balance - 1 WHERE id = " + from);
        statement.execute("UPDATE account SET balance = balance + 1 WHERE id = " + to);
        statement.execute("SELECT v FROM large WHERE id = " + any);
        statement.execute("COMMIT");
      }
    }

    void awaitMore(int count) {
      long goal = done.get() + count;
      StorageNodes.await(
          "transfers continue",
          () -> done.get() >= goal || clients.stream().anyMatch(Future::isDone));
    }

    @Override
    public void close() throws Exception {
      stopped = true;
      try {
        for (Future<?> client : clients) {
          client.get(60, TimeUnit.SECONDS);
        }
      } finally {
        threads.shutdownNow();
      }
    }
  }
}
