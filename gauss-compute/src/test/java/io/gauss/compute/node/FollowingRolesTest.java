package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whose transactions count as going where the published model says. */
@Timeout(120)
class FollowingRolesTest {
  /** Whether they do after a transaction of a driver in the mode {@code model}. */
  private static boolean isFollowed(OneNode node, String role) throws SQLException {
    try (Connection connection =
        DriverManager.getConnection(
            "jdbc:postgresql://127.0.0.1:%d/gauss?user=%s&options=-c%%20gauss.routing=model"
                .formatted(node.node.port(), role))) {
      OneNode.query(connection, "SELECT 1");
      node.node.routing().turn(); // as the node itself does each second
      return node.node.routing().sampling().isFollowed();
    }
  }

  @Test
  void thoseOfRolesThatSeeNoneOfItDoNot(@TempDir Path data) throws SQLException {
    try (OneNode node = new OneNode(data)) {
      node.execute(
          "CREATE TABLE t (id int PRIMARY KEY)",
          "CREATE TABLE not_for_all (id int PRIMARY KEY)",
          "CREATE ROLE application LOGIN",
          "GRANT SELECT ON t TO application",
          "CREATE ROLE writer LOGIN",
          "GRANT INSERT ON t TO writer",
          "CREATE ROLE gauss_routing",
          "GRANT gauss_routing TO writer");
      assertFalse(isFollowed(node, "application"), "it may not read all tables");
      assertFalse(isFollowed(node, "writer"), "it gets a model without any values");
      node.execute("GRANT gauss_routing TO application");
      while (!isFollowed(node, "application")) {
        // It is looked at again soon, not with each change of the catalog.
      }
    }
  }

  @Test
  void thoseOfSuperusersDo(@TempDir Path data) throws SQLException {
    try (OneNode node = new OneNode(data)) {
      assertTrue(isFollowed(node, "gauss"), "although there is no table");
    }
  }
}
