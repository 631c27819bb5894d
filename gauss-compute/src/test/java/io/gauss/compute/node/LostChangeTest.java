package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.fault.FaultPoints;
import io.gauss.storage.map.api.MapNode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A reader has a row of a node that changed it, and the node dies before the change is durable and
 * before the reader has its undo (rule 23).
 */
@Timeout(300)
class LostChangeTest {
  private static final int READER = 1;
  private static final int WRITER = 2;
  private static final int SEGMENTS = 20; // at least as many as the writer has
  private static final String LOG_OF_WRITER = "log-" + WRITER + ".before-append";

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT v FROM t WHERE id = 1",
        "SELECT sum(v) FROM t",
        "SELECT v FROM t WHERE id + 0 = 1 ORDER BY id DESC"
      })
  void theRowIsReadAgain(String query) throws Exception {
    run("UPDATE t SET v = 20 WHERE id = 1", query, "10");
  }

  @Test
  void aForeignKeyFindsTheRowAgain() throws Exception {
    run("DELETE FROM t WHERE id = 1", "INSERT INTO child VALUES (1) RETURNING p", "1");
  }

  /** What its next life has written stands where the undo of the lost change was. */
  @Test
  void theRowIsReadAgainWhenTheNodeIsBackAndWrites() throws Exception {
    run("UPDATE t SET v = 20 WHERE id = 1", "SELECT v FROM t WHERE id = 1", "10", true);
  }

  private void run(String change, String query, String expected) throws Exception {
    run(change, query, expected, false);
  }

  private void run(String change, String query, String expected, boolean comesBack)
      throws Exception {
    ExecutorService sessions = Executors.newCachedThreadPool();
    CountDownLatch mayLog = new CountDownLatch(1);
    CountDownLatch wantsUndo = new CountDownLatch(1);
    CountDownLatch mayLoad = new CountDownLatch(1);
    AtomicInteger loads = new AtomicInteger();
    try (WholeCluster cluster = new WholeCluster(directory, 1, 1, 2, Map.of())) {
      cluster
          .compute(READER)
          .execute(
              "CREATE TABLE t (id int PRIMARY KEY, v int)",
              "CREATE TABLE child (p int REFERENCES t)");
      cluster.compute(WRITER).execute("INSERT INTO t VALUES (1, 10)");
      try (var log = FaultPoints.arm(LOG_OF_WRITER, () -> await(mayLog));
          var undo =
              FaultPoints.arm(
                  "undo.load",
                  () -> {
                    if (loads.getAndIncrement() == 0) {
                      wantsUndo.countDown();
                      await(mayLoad);
                    }
                  });
          var connection = cluster.compute(WRITER).connect()) {
        connection.setAutoCommit(false);
        connection.createStatement().execute(change);
        Future<List<String>> read = sessions.submit(() -> cluster.compute(READER).query(query));
        assertTrue(wantsUndo.await(120, TimeUnit.SECONDS), "the reader needs no undo");
        try (MapTool map = new MapTool(cluster.storage())) {
          map.kill(WRITER);
          map.await(now -> now.node(WRITER).filter(MapNode::isLive).isEmpty());
          map.await(now -> now.deaths().isEmpty());
        }
        if (comesBack) {
          mayLog.countDown();
          cluster.end(WRITER);
          cluster.start(WRITER);
          writeInEachSegment(cluster.compute(WRITER));
        }
        mayLoad.countDown();
        assertEquals(List.of(expected), read.get(120, TimeUnit.SECONDS));
        mayLog.countDown();
      } finally {
        mayLog.countDown();
        mayLoad.countDown();
      }
    } finally {
      sessions.shutdownNow();
    }
  }

  private static void writeInEachSegment(OneNode node) throws SQLException {
    List<Connection> open = new ArrayList<>();
    for (int i = 0; i < SEGMENTS; i++) {
      Connection connection = node.connect();
      open.add(connection);
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute(
            "INSERT INTO t SELECT i, 0 FROM generate_series(%d, %d) i"
                .formatted(1000 * (i + 1), 1000 * (i + 1) + 99));
      }
    }
    for (Connection connection : open) {
      connection.close();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await(300, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
