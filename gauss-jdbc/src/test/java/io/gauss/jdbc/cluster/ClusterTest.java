package io.gauss.jdbc.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.ClusterNode;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** What is remembered about nodes. */
class ClusterTest {
  private static ClusterNode node(int port) {
    return new ClusterNode(0, "127.0.0.1", port, ClusterNode.State.UP, Double.NaN);
  }

  @Test
  void withoutAMonitorABrokenSocketCondemnsNobody() throws SQLException {
    GaussUrl url =
        GaussUrl.parse("jdbc:gauss://127.0.0.1:1,127.0.0.1:2/gauss?user=gauss&routing.mode=off");
    Cluster cluster =
        new Cluster(ClusterOptions.of(url, new Properties()), List.of(node(1), node(2)));
    cluster.lost(node(1));
    assertTrue(cluster.takesNew(node(1)));
  }
}
