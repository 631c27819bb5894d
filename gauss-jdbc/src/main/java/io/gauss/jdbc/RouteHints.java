package io.gauss.jdbc;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.Decision.Cause;
import io.gauss.jdbc.routing.Topology;
import io.gauss.jdbc.text.StatementText;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.ShardingKey;

/**
 * Nodes that the application names: by a comment in the statement, by the client info {@code
 * gauss.node}, or by a sharding key; the first one that is present is used. A hint to a node that
 * does not exist is ignored. For one thread at a time.
 */
final class RouteHints {
  static final String CLIENT_INFO = "gauss.node";

  private int node;
  private GaussShardingKey key;

  /** The text of the client info, or null. */
  String node() {
    return node == 0 ? null : Integer.toString(node);
  }

  /**
   * @param text a number; null or empty removes the hint
   * @return false when it is something else
   */
  boolean setNode(String text) {
    if (text == null || text.isEmpty()) {
      node = 0;
      return true;
    }
    try {
      int number = Integer.parseInt(text);
      if (number < 1) {
        return false;
      }
      node = number;
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /** Null removes it. */
  void setKey(ShardingKey value) throws SQLException {
    check(value);
    key = (GaussShardingKey) value;
  }

  /**
   * @throws SQLException 0A000 when it is not a key of this driver
   */
  static void check(ShardingKey value) throws SQLException {
    if (value != null && !(value instanceof GaussShardingKey)) {
      throw new SQLFeatureNotSupportedException(
          "a sharding key of another driver is not supported; make one by"
              + " GaussDataSource.createShardingKeyBuilder",
          "0A000");
    }
  }

  /** There are no groups of nodes among which a second key could choose. */
  static SQLException noSuperKey() {
    return new SQLFeatureNotSupportedException("a super sharding key is not supported", "0A000");
  }

  /** The decision by hints, or null. */
  Decision decide(StatementText text, Topology topology) {
    int hinted = text.hintedNode() != 0 ? text.hintedNode() : node;
    if (hinted != 0) {
      ClusterNode found = topology.byNumber(hinted);
      if (found != null && found.isUsable()) {
        return Decision.on(
            found,
            Cause.HINT,
            text.hintedNode() != 0 ? "hint in the statement" : "client info gauss.node");
      }
    }
    if (key != null) {
      ClusterNode found = key.choose(topology.usable());
      return found == null ? null : Decision.on(found, Cause.HINT, "sharding key");
    }
    return null;
  }
}
