package io.gauss.server.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.node.WholeCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Learning where no client goes by it: all are connected with one node, and what is learned says
 * that most of their pages should be on the others. They stay where the transactions run.
 */
class PlainClientsTest {
  private static final int NODES = 3;
  private static final int TRANSACTIONS = 200;

  @TempDir private Path directory;
  private final SplittableRandom random = new SplittableRandom(7);

  @Test
  @Timeout(600)
  void learningMovesNoPagesAwayFromPlainClients() throws Exception {
    try (WholeCluster cluster = new WholeCluster(directory, 1, 1, NODES, Map.of());
        Connection client = DriverManager.getConnection(cluster.url(1))) {
      Tenants.load(client);
      client.setAutoCommit(false);
      List<RoutingLearner> learners = new ArrayList<>();
      try {
        for (int number : cluster.numbers()) {
          learners.add(
              RoutingLearner.start(
                  cluster.node(number),
                  LearnedRoutingTest.libraries(),
                  null,
                  LearnedRoutingTest.QUICK));
        }
        while (placement(cluster, "hot") == 0) { // pages that should be elsewhere, and stay
          run(client);
        }
        long before = transfers(client);
        for (int i = 0; i < 5; i++) {
          run(client);
        }
        long transfers = transfers(client) - before;
        assertTrue(cluster.node(1).routing().published().version() > 0);
        assertTrue(transfers < TRANSACTIONS / 10, transfers + " transfers");
        assertEquals(0, placement(cluster, "placed"));
      } finally {
        learners.forEach(RoutingLearner::close);
      }
    }
  }

  private void run(Connection client) throws SQLException {
    try (PreparedStatement update = client.prepareStatement(Tenants.FIRST)) {
      for (int i = 0; i < TRANSACTIONS; i++) {
        int tenant = random.nextInt(Tenants.TENANTS);
        for (int row = 0; row < 2; row++) {
          update.setInt(1, Tenants.id(tenant, random.nextInt(1000)));
          update.executeUpdate();
        }
        client.commit();
      }
    }
  }

  private static long transfers(Connection client) throws SQLException {
    long transfers = number(client, "SELECT sum(transfers) FROM gauss.routing");
    client.commit();
    return transfers;
  }

  private static long placement(WholeCluster cluster, String column) throws SQLException {
    long sum = 0;
    for (int number : cluster.numbers()) {
      try (Connection connection = DriverManager.getConnection(cluster.url(number))) {
        sum += number(connection, "SELECT " + column + " FROM gauss.page_placement");
      }
    }
    return sum;
  }

  private static long number(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }
}
