package io.gauss.jdbc.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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

  private static Cluster cluster() throws SQLException {
    GaussUrl url =
        GaussUrl.parse("jdbc:gauss://127.0.0.1:1,127.0.0.1:2/gauss?user=gauss&routing.mode=off");
    return new Cluster(ClusterOptions.of(url, new Properties()), List.of(node(1), node(2)));
  }

  /** A finalizer that closes runs after the garbage collector has told that nobody has it. */
  @Test
  void aSessionThatWasForgottenAndIsClosedThenIsReleasedOnce() throws SQLException {
    Cluster cluster = cluster();
    cluster.users = 2;
    Cluster.Idle session = idleNanos -> {};
    Seat seat = cluster.arrived(node(1), session);
    seat.enqueue(); // as the garbage collector does
    cluster.forgetSessions();
    assertEquals(1, cluster.users);
    assertFalse(cluster.left(seat));
  }

  /** With routing off, or a single node, there is none. */
  @Test
  void withoutAMonitorTheNextSessionForgets() throws SQLException {
    Cluster cluster = cluster();
    cluster.users = 2;
    Cluster.Idle session = idleNanos -> {};
    cluster.arrived(node(1), session).enqueue();
    cluster.arrived(node(1), session);
    assertEquals(1, cluster.users);
  }

  @Test
  void withoutAMonitorABrokenSocketCondemnsNobody() throws SQLException {
    Cluster cluster = cluster();
    cluster.lost(node(1));
    assertTrue(cluster.takesNew(node(1)));
  }
}
