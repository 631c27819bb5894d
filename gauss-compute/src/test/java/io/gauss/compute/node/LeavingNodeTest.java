package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.compute.routing.BetterNode;
import io.gauss.storage.node.StorageNodes;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node is to leave the cluster in the middle of transactions: they end there, with an answer. */
@Timeout(300)
class LeavingNodeTest {
  private static final int CLIENTS = 24;

  private static final int HERE = 1;
  private static final int THERE = 2;
  private static final String THERE_IS_BETTER = "/*there*/ ";
  private static final String NODE =
      "SELECT id FROM gauss.nodes WHERE role LIKE '%compute%' AND pid IS NOT NULL";

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void transactionsOfItsClientsAndOfOthersEndAndLaterOnesGoElsewhere(String mode) throws Exception {
    String properties = "&preferQueryMode=" + mode;
    try (WholeCluster cluster =
            new WholeCluster(directory, 1, 1, 2, Map.of(), Map.of("routing.reroute", "on"));
        Connection forwarded = DriverManager.getConnection(cluster.url(HERE) + properties);
        Connection own = DriverManager.getConnection(cluster.url(THERE) + properties)) {
      cluster
          .compute(HERE)
          .node
          .reroutes()
          .route(
              (text, parameters) ->
                  text.startsWith(THERE_IS_BETTER) ? THERE : BetterNode.NOT_KNOWN);
      cluster.compute(HERE).execute("CREATE TABLE t (id int PRIMARY KEY)");
      ForwardedClients.ready(forwarded, THERE_IS_BETTER, THERE);
      forwarded.setAutoCommit(false);
      own.setAutoCommit(false);
      forwarded.createStatement().execute(THERE_IS_BETTER + "INSERT INTO t VALUES (1)");
      own.createStatement().execute("INSERT INTO t VALUES (2)");
      try (MapTool map = new MapTool(cluster.storage())) {
        map.drain(THERE);
      }
      StorageNodes.await(
          "the other node knows that it leaves",
          () ->
              cluster.compute(HERE).node.nodes().stream()
                  .anyMatch(node -> node.id() == THERE && node.state().startsWith("DRAINING")));
      assertEquals("2", OneNode.query(forwarded, NODE).getFirst());
      forwarded.commit();
      assertEquals("1", OneNode.query(forwarded, THERE_IS_BETTER + NODE).getFirst());
      forwarded.commit();
      assertEquals("2", OneNode.query(own, NODE).getFirst());
      own.commit();
      SQLException ended =
          assertThrows(SQLException.class, () -> own.createStatement().execute("SELECT 1"));
      assertEquals("57P01", ended.getSQLState(), ended.toString());
      assertEquals("2", OneNode.query(forwarded, "SELECT count(*) FROM t").getFirst());
      forwarded.commit();
      cluster.compute(THERE).node.drained().get(60, TimeUnit.SECONDS);
    }
  }

  /** Whatever is on its way to the node in the moment in which it begins to leave. */
  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void clientsWhoseTransactionsAreForwardedToItDoNotNotice(String mode) throws Exception {
    try (WholeCluster cluster =
        new WholeCluster(directory, 1, 1, 2, Map.of(), Map.of("routing.reroute", "on"))) {
      cluster.compute(HERE).node.reroutes().route((text, parameters) -> THERE);
      cluster.compute(HERE).execute("CREATE TABLE t (id int PRIMARY KEY)");
      AtomicBoolean isOver = new AtomicBoolean();
      CountDownLatch forwarded = new CountDownLatch(CLIENTS);
      List<Future<Integer>> clients = new ArrayList<>();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        try {
          for (int c = 0; c < CLIENTS; c++) {
            int client = c;
            clients.add(threads.submit(() -> insert(cluster, mode, client, isOver, forwarded)));
          }
          forwarded.await();
          // Before the other node knows of it, which continues to forward transactions.
          cluster.compute(THERE).node.drain(Duration.ofSeconds(20));
          cluster.compute(THERE).node.drained().get(60, TimeUnit.SECONDS);
        } finally {
          isOver.set(true);
        }
      }
      int inserted = 0;
      for (Future<Integer> client : clients) {
        inserted += client.get();
      }
      try (Connection here = DriverManager.getConnection(cluster.url(HERE))) {
        assertEquals("" + inserted, OneNode.query(here, "SELECT count(*) FROM t").getFirst());
      }
    }
  }

  private static int insert(
      WholeCluster cluster, String mode, int client, AtomicBoolean isOver, CountDownLatch forwarded)
      throws SQLException {
    int inserted = 0;
    try (Connection connection =
            DriverManager.getConnection(cluster.url(HERE) + "&preferQueryMode=" + mode);
        Statement statement = connection.createStatement()) {
      ForwardedClients.ready(connection, "", THERE);
      while (!isOver.get()) {
        boolean isBlock = inserted % 2 == 0;
        connection.setAutoCommit(!isBlock);
        statement.execute("INSERT INTO t VALUES (" + (client * 100_000 + inserted) + ")");
        if (isBlock) {
          connection.commit();
        }
        inserted++;
        if (inserted == 1) {
          forwarded.countDown();
        }
      }
    }
    return inserted;
  }
}
