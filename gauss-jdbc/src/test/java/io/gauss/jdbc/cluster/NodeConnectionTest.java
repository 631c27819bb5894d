package io.gauss.jdbc.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.reference.ReferencePostgres;
import io.gauss.jdbc.routing.ClusterNode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** A physical connection between its uses. */
class NodeConnectionTest {
  private static NodeConnection of(Connection physical) throws Exception {
    ClusterNode node = new ClusterNode(1, "localhost", 1, ClusterNode.State.UP, 0);
    return new NodeConnection(node, physical, new NodeRoutes());
  }

  @Test
  void notificationsWaitForTheApplication() throws Exception {
    try (Connection physical = DriverManager.getConnection(ReferencePostgres.get().newDatabase());
        Statement statement = physical.createStatement()) {
      NodeConnection connection = of(physical);
      statement.execute("LISTEN news");
      statement.execute("NOTIFY news, 'first'");
      assertTrue(connection.isAlive());
      PGNotification[] all = physical.unwrap(PGConnection.class).getNotifications();
      assertEquals(1, all.length);
      assertEquals("first", all[0].getParameter());
    }
  }

  @Test
  void onlyAParkedConnectionIsRetiredAndOnlyOnce() throws Exception {
    try (Connection physical = DriverManager.getConnection(ReferencePostgres.get().newDatabase())) {
      NodeConnection connection = of(physical);
      assertFalse(connection.retire(0), "it is in use");
      assertFalse(connection.claim());
      connection.park();
      assertFalse(connection.retire(Long.MAX_VALUE), "it was used a moment ago");
      assertTrue(connection.claim());
      assertFalse(connection.retire(0));
      connection.park();
      assertTrue(connection.retire(0));
      assertFalse(connection.retire(0));
      assertFalse(connection.claim());
    }
  }
}
