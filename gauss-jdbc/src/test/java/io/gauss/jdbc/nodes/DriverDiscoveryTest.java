package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;
import static io.gauss.jdbc.nodes.TwoNodes.node;
import static io.gauss.jdbc.nodes.TwoNodes.onNode;
import static io.gauss.jdbc.nodes.TwoNodes.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.RoutedConnection;
import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Topology;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The driver is told of one compute node; others start, drain, stop and die. Node 3 is there in
 * some of the tests only.
 */
@Timeout(300)
class DriverDiscoveryTest extends OnTwoComputeNodes {
  private static final int THIRD = 3;

  /** So many transactions that each of three nodes has some, when each is as likely. */
  private static final int MANY = 60;

  private int urls;

  @AfterEach
  void stopThird() {
    if (cluster.numbers().contains(THIRD)) {
      cluster.stop(THIRD);
    }
  }

  /** By a URL that no driver has seen: it knows nothing but node 1. */
  private Connection connect(String more) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:gauss://127.0.0.1:%d/gauss?user=gauss&ApplicationName=discovery%d&%s"
            .formatted(cluster.port(1), ++urls, more));
  }

  private static boolean isUsable(Topology topology, int number) {
    ClusterNode node = topology.byNumber(number);
    return node != null && node.isUsable();
  }

  private static Topology topology(Connection connection) throws SQLException {
    return connection.unwrap(RoutedConnection.class).topology();
  }

  /** The nodes that so many transactions run on, by their own word. */
  private static Set<Integer> used(Connection connection, int transactions) throws SQLException {
    Set<Integer> used = new TreeSet<>();
    for (int i = 0; i < transactions; i++) {
      int self = self(connection);
      assertEquals(self, node(connection));
      used.add(self);
    }
    return used;
  }

  /** A connection whose transactions run on the third node, which it has found out about. */
  private Connection onThird(String more) throws SQLException {
    Connection connection = connect(more);
    await(connection, now -> isUsable(now, THIRD));
    assertEquals(List.of("" + THIRD), query(connection, onNode(THIRD, SELF)));
    return connection;
  }

  /** Until the node has heard of it: before that it may still serve. */
  private void declareThirdDead() throws Exception {
    cluster.declareDead(THIRD);
    cluster.node(THIRD).lost().get(250, TimeUnit.SECONDS);
  }

  // ---- who is there

  @Test
  void oneAddressIsEnoughToUseAllNodes() throws SQLException {
    try (Connection connection = connect("routing.mode=random")) {
      await(connection, now -> now.usable().size() == 2);
      Set<Integer> ports =
          topology(connection).nodes().stream()
              .map(ClusterNode::port)
              .collect(Collectors.toCollection(TreeSet::new));
      assertEquals(new TreeSet<>(List.of(cluster.port(1), cluster.port(2))), ports);
      assertEquals(Set.of(1, 2), used(connection, MANY));
    }
  }

  @Test
  void aNodeThatStartsGetsTransactionsOnceItTakesConnections() throws Exception {
    Runnable release = cluster.startHeld(THIRD);
    try (Connection before = connect("routing.mode=random")) {
      try {
        await(before, now -> now.usable().size() == 2);
        assertNull(topology(before).byNumber(THIRD), "it does not take connections yet");
        assertEquals(Set.of(1, 2), used(before, MANY));
      } finally {
        release.run();
      }
      await(before, now -> isUsable(now, THIRD));
      assertEquals(Set.of(1, 2, THIRD), used(before, MANY));
      assertEquals(cluster.port(THIRD), topology(before).byNumber(THIRD).port());
    }
  }

  @Test
  void aNodeThatDrainsIsLeftAtTheEndOfTheTransactionAndGetsNoOther() throws Exception {
    cluster.start(THIRD);
    try (Connection connection = onThird("routing.mode=random");
        Connection other = connect("routing.mode=random")) {
      connection.setAutoCommit(false);
      execute(connection, onNode(THIRD, "UPDATE t SET v = 1 WHERE id = 1"));
      cluster.drain(THIRD);
      await(other, now -> !isUsable(now, THIRD));
      assertEquals(Set.of(1, 2), used(other, MANY));
      await(connection, now -> !isUsable(now, THIRD));
      execute(connection, "UPDATE t SET v = 1 WHERE id = 2");
      assertEquals(THIRD, self(connection));
      connection.commit();
      connection.setAutoCommit(true);
      assertEquals(List.of("2"), query(connection, "SELECT sum(v) FROM t"));
      assertEquals(Set.of(1, 2), used(connection, MANY));
      cluster.node(THIRD).drained().get(250, TimeUnit.SECONDS);
      cluster.stop(THIRD);
      await(connection, now -> now.byNumber(THIRD) == null);
    }
  }

  @Test
  void anIdleConnectionLeavesANodeThatHasStopped() throws Exception {
    cluster.start(THIRD);
    try (Connection connection = onThird("")) {
      execute(connection, "SET work_mem = '99kB'");
      cluster.stop(THIRD);
      await(connection, now -> now.byNumber(THIRD) == null);
      assertTrue(Set.of(1, 2).contains(self(connection)));
      assertEquals(List.of("99kB"), query(connection, "SHOW work_mem"));
    }
  }

  @Test
  void aNodeThatComesBackElsewhereIsUsedThere() throws Exception {
    cluster.start(THIRD);
    try (Connection connection = onThird("")) {
      cluster.stop(THIRD);
      await(connection, now -> now.byNumber(THIRD) == null);
      query(connection, "SELECT v FROM t");
      cluster.start(THIRD);
      await(connection, now -> isUsable(now, THIRD));
      assertEquals(List.of("" + THIRD), query(connection, onNode(THIRD, SELF)));
    }
  }

  // ---- a node dies: the cluster has recovered it when the application goes on

  @Test
  void aTransactionOnANodeThatDiesIsRolledBackByAnother() throws Exception {
    cluster.start(THIRD);
    try (Connection connection = onThird("")) {
      connection.setAutoCommit(false);
      execute(connection, "UPDATE t SET v = 1 WHERE id = 1");
      declareThirdDead();
      SQLException e =
          assertThrows(
              SQLException.class, () -> execute(connection, "UPDATE t SET v = 1 WHERE id = 2"));
      assertState("57P01", e);
      assertState("25P02", assertThrows(SQLException.class, () -> query(connection, "SELECT 1")));
      connection.rollback();
      execute(connection, "UPDATE t SET v = v + 5 WHERE id = 1");
      connection.commit();
      assertEquals(List.of("5"), query(connection, "SELECT sum(v) FROM t"));
      assertTrue(Set.of(1, 2).contains(self(connection)));
    } finally {
      cluster.end(THIRD);
    }
  }

  /** The server says why it ends the connection, which does not tell what became of the commit. */
  @Test
  void aCommitOnANodeThatHasDiedIsSaidToBeUnknown() throws Exception {
    cluster.start(THIRD);
    try (Connection connection = onThird("")) {
      connection.setAutoCommit(false);
      execute(connection, "UPDATE t SET v = 1 WHERE id = 1");
      String xid = query(connection, "SELECT gauss_current_xid()").getFirst();
      declareThirdDead();
      SQLException e = assertThrows(SQLException.class, connection::commit);
      assertState("08007", e);
      assertEquals("aborted", outcome(connection, xid));
      assertEquals(List.of("0"), query(connection, "SELECT v FROM t WHERE id = 1"));
    } finally {
      cluster.end(THIRD);
    }
  }

  @Test
  void aWriteInAutocommitOnANodeThatHasDiedIsSaidToBeUnknown() throws Exception {
    cluster.start(THIRD);
    try (Connection connection = onThird("")) {
      execute(connection, "CREATE TEMP TABLE mine (id int)"); // keeps it there
      declareThirdDead();
      SQLException e =
          assertThrows(
              SQLException.class, () -> execute(connection, "UPDATE t SET v = 1 WHERE id = 1"));
      assertState("08007", e);
      assertEquals(List.of("0"), query(connection, "SELECT v FROM t WHERE id = 1"));
    } finally {
      cluster.end(THIRD);
    }
  }

  @Test
  void anIdleConnectionLeavesANodeThatHasDied() throws Exception {
    cluster.start(THIRD);
    try (Connection connection = onThird("")) {
      declareThirdDead();
      await(connection, now -> now.byNumber(THIRD) == null);
      query(connection, "SHOW work_mem"); // which the router is not asked about
      assertTrue(Set.of(1, 2).contains(self(connection)));
    } finally {
      cluster.end(THIRD);
    }
  }
}
