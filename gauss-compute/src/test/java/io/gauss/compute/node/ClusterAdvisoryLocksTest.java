package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.compute.txn.WaitCounts;
import io.gauss.storage.node.StorageNodes;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What advisory locks of one compute node are to the clients of the others. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(300)
class ClusterAdvisoryLocksTest {
  private static final int FIRST_MEMORY_NODE = 101;
  private static final String TRY = "SELECT pg_try_advisory_lock(7)";
  private static final String UNLOCK = "SELECT pg_advisory_unlock(7)";

  private final ExecutorService clients = Executors.newCachedThreadPool();
  private WholeCluster cluster;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    cluster = new WholeCluster(directory, 1, 2, 3, Map.of());
  }

  @AfterAll
  void stop() {
    clients.shutdownNow();
    cluster.close();
  }

  private Connection connect(int number) throws SQLException {
    return cluster.compute(number).connect();
  }

  private static String ask(Connection connection, String query) throws SQLException {
    return String.join(",", OneNode.query(connection, query));
  }

  private Future<String> asking(Connection connection, String query) {
    return clients.submit(() -> ask(connection, query));
  }

  private void awaitWaiting(int count) {
    StorageNodes.await(
        count + " wait",
        () ->
            WaitCounts.standing(
                    cluster.numbers().stream()
                        .map(number -> cluster.compute(number).node.transactions())
                        .toList())
                == count);
  }

  @Test
  @Order(1)
  void migrationsOfAllNodesRunOneAfterTheOther() throws Exception {
    cluster.compute(1).execute("CREATE TABLE migrated (n int)");
    List<Future<?>> all = new ArrayList<>();
    for (int client = 0; client < 6; client++) {
      int number = client % 3 + 1;
      all.add(
          clients.submit(
              () -> {
                try (Connection connection = connect(number)) {
                  for (int round = 0; round < 10; round++) {
                    ask(connection, "SELECT pg_advisory_lock(77)");
                    int n = Integer.parseInt(ask(connection, "SELECT count(*) FROM migrated"));
                    connection.createStatement().execute("INSERT INTO migrated VALUES (" + n + ")");
                    assertEquals("t", ask(connection, "SELECT pg_advisory_unlock(77)"));
                  }
                }
                return null;
              }));
    }
    for (Future<?> one : all) {
      one.get(120, TimeUnit.SECONDS);
    }
    assertEquals(
        List.of("60|60"),
        cluster.compute(2).query("SELECT count(*), count(DISTINCT n) FROM migrated"));
  }

  @Test
  @Order(2)
  void viewsShowWhoHasALockAndWhoWaitsOnWhicheverNode() throws Exception {
    try (Connection one = connect(1);
        Connection two = connect(2);
        Connection three = connect(3)) {
      ask(one, "SELECT pg_advisory_lock(1, 2)");
      Future<String> waits = asking(two, "SELECT pg_advisory_xact_lock_shared(1, 2) IS NULL");
      awaitWaiting(1);
      assertEquals(
          "1|2|2|ExclusiveLock|t,1|2|2|ShareLock|f",
          ask(
              three,
              "SELECT classid, objid, objsubid, mode, granted FROM pg_locks"
                  + " WHERE locktype = 'advisory' ORDER BY granted DESC"));
      assertEquals(
          "Lock|advisory",
          ask(
              three,
              "SELECT wait_event_type, wait_event FROM pg_stat_activity"
                  + " WHERE wait_event_type = 'Lock'"));
      assertEquals(
          "1|advisory|ExclusiveLock|t,2|advisory|ShareLock|f",
          ask(
              three,
              "SELECT node, kind, mode, granted FROM gauss.locks WHERE kind = 'advisory'"
                  + " ORDER BY node"));
      assertEquals("advisory", ask(three, "SELECT cause FROM gauss.waiting WHERE node = 2"));
      assertEquals(
          "t",
          ask(
              three,
              "SELECT pg_cancel_backend(pid) FROM pg_locks"
                  + " WHERE locktype = 'advisory' AND NOT granted"));
      ExecutionException canceled = assertThrows(ExecutionException.class, waits::get);
      assertEquals("57014", ((SQLException) canceled.getCause()).getSQLState());
      assertEquals("t", ask(one, "SELECT pg_advisory_unlock(1, 2)"));
    }
  }

  @Test
  @Order(3)
  void locksOutlastTheMemoryNodesThatKnowOfThem() throws Exception {
    try (Connection one = connect(1);
        Connection two = connect(2)) {
      for (int key = 1; key <= 20; key++) {
        ask(one, "SELECT pg_advisory_lock(" + key + ")");
      }
      Future<String> waits = asking(two, "SELECT pg_advisory_lock(7) IS NULL");
      awaitWaiting(1);
      cluster.memory().stop(FIRST_MEMORY_NODE);
      try (Connection three = connect(3)) {
        assertEquals(
            "0",
            ask(
                three,
                "SELECT count(*) FROM generate_series(1, 20) AS key"
                    + " WHERE pg_try_advisory_lock(key)"));
        assertEquals("t", ask(one, UNLOCK));
        assertEquals("f", waits.get(60, TimeUnit.SECONDS));
        assertEquals("f", ask(three, TRY));
        assertEquals("t", ask(two, UNLOCK));
        assertEquals("t", ask(three, TRY));
      }
    }
  }

  @Test
  @Order(4)
  void aDeadNodesLocksGoToThoseWhoWaitOnceItIsRecovered() throws Exception {
    cluster.compute(2).execute("CREATE TABLE guarded (n int)", "INSERT INTO guarded VALUES (0)");
    try (Connection one = connect(1);
        Connection two = connect(2);
        Connection three = connect(3)) {
      ask(two, "SELECT pg_advisory_lock(7)");
      two.setAutoCommit(false);
      two.createStatement().execute("UPDATE guarded SET n = 1");
      Future<String> waits = asking(one, "SELECT pg_advisory_lock(7) IS NULL");
      awaitWaiting(1);
      assertEquals("f", ask(three, TRY));
      cluster.kill(2);
      assertEquals("f", waits.get(60, TimeUnit.SECONDS));
      assertEquals("0", ask(one, "UPDATE guarded SET n = n RETURNING n"));
      assertEquals("f", ask(three, TRY));
      assertEquals("t", ask(one, UNLOCK));
      assertEquals("t", ask(three, TRY));
    }
  }
}
