package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.node.StorageNodes;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What others are told of a compute node that is a member of the cluster and still starts. */
@Timeout(300)
class NodeBeforeItServesTest {
  private static final int STARTING = 2;
  private static final String SHOWN = "SELECT state, port FROM gauss.nodes WHERE id = " + STARTING;

  @Test
  void itIsUpForClientsOnceItsPortIsOpen(@TempDir Path directory) throws Exception {
    try (WholeCluster cluster = new WholeCluster(directory, 1, 1, 1, Map.of());
        Connection other = DriverManager.getConnection(cluster.url(1))) {
      Runnable release = cluster.startHeld(STARTING);
      try (MapTool map = new MapTool(cluster.storage())) {
        map.await(now -> now.node(STARTING).filter(n -> n.state() == NodeState.UP).isPresent());
        StorageNodes.await(
            "the other node knows that it is a member",
            () -> cluster.node(1).nodes().stream().anyMatch(node -> node.id() == STARTING));
        assertEquals(List.of("JOINING|null"), OneNode.query(other, SHOWN));
        assertEquals(
            Set.of(1),
            Set.copyOf(cluster.node(1).computeNodes().values()),
            "nobody is to learn that transactions belong there");
      } finally {
        release.run();
      }
      String up = "UP|" + cluster.port(STARTING);
      StorageNodes.await("the other node knows that it serves", () -> shows(other, up));
    }
  }

  /** The nodes that were not asked to leave, as the first one knows. */
  private static Set<Integer> notLeft(WholeCluster cluster) {
    return Set.copyOf(cluster.node(1).notLeft().values());
  }

  private static boolean shows(Connection connection, String row) {
    try {
      return OneNode.query(connection, SHOWN).equals(List.of(row));
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aNodeThatWasStoppedOrDiedMayComeBackAndOneThatWasDrainedHasLeft(@TempDir Path directory)
      throws Exception {
    try (WholeCluster cluster = new WholeCluster(directory, 1, 1, 2, Map.of());
        Connection other = DriverManager.getConnection(cluster.url(1))) {
      cluster.stop(STARTING);
      StorageNodes.await(
          "it has left",
          () -> cluster.node(1).nodes().stream().noneMatch(node -> node.id() == STARTING));
      assertEquals(List.of(), OneNode.query(other, SHOWN));
      assertEquals(Set.of(1, STARTING), notLeft(cluster), "it may be started at once");
      cluster.start(STARTING);
      String up = "UP|" + cluster.port(STARTING);
      StorageNodes.await("the other node knows that it serves", () -> shows(other, up));
      assertEquals(Set.of(1, STARTING), notLeft(cluster));
      cluster.kill(STARTING);
      StorageNodes.await(
          "the other node knows that it is dead",
          () -> cluster.node(1).nodes().stream().noneMatch(node -> node.id() == STARTING));
      assertEquals(Set.of(1, STARTING), notLeft(cluster), "it may come back");
      assertEquals(Set.of(1), Set.copyOf(cluster.node(1).computeNodes().values()));
      cluster.start(STARTING);
      String again = "UP|" + cluster.port(STARTING);
      StorageNodes.await("the other node knows that it serves", () -> shows(other, again));
      cluster.drain(STARTING);
      StorageNodes.await("it was asked to leave", () -> notLeft(cluster).equals(Set.of(1)));
      cluster.stop(STARTING);
      StorageNodes.await(
          "it has left",
          () -> cluster.node(1).nodes().stream().noneMatch(node -> node.id() == STARTING));
      assertEquals(Set.of(1), notLeft(cluster));
    }
  }
}
