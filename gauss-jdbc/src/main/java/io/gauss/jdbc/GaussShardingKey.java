package io.gauss.jdbc;

import io.gauss.jdbc.routing.ClusterNode;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.ShardingKey;
import java.sql.ShardingKeyBuilder;
import java.util.ArrayList;
import java.util.List;

/**
 * Marks transactions that belong together: those with equal keys go to the same node on all
 * clients, while that node is available.
 */
record GaussShardingKey(List<Object> values) implements ShardingKey {
  /**
   * The node for this key: each node gets a score from the key and its address, and the highest
   * wins. So a node that is added or removed moves no other keys than those it gets or had.
   */
  ClusterNode choose(List<ClusterNode> nodes) {
    ClusterNode best = null;
    long highest = 0;
    for (ClusterNode node : nodes) {
      long mark = mix(31L * text().hashCode() + identity(node).hashCode());
      if (best == null || mark > highest) {
        best = node;
        highest = mark;
      }
    }
    return best;
  }

  /** The same on all clients, even if they reach the node by different names. */
  private static String identity(ClusterNode node) {
    return node.number() > 0 ? Integer.toString(node.number()) : node.address();
  }

  private String text() {
    return values.toString();
  }

  /** The finishing step of MurmurHash3: neighbouring keys get very different scores. */
  private static long mix(long value) {
    long x = value;
    x = (x ^ (x >>> 33)) * 0xFF51AFD7ED558CCDL;
    x = (x ^ (x >>> 33)) * 0xC4CEB9FE1A85EC53L;
    return x ^ (x >>> 33);
  }

  /** Collects the values. */
  static final class Builder implements ShardingKeyBuilder {
    private final List<Object> values = new ArrayList<>();

    @Override
    public ShardingKeyBuilder subkey(Object subkey, SQLType type) {
      values.add(subkey);
      return this;
    }

    @Override
    public ShardingKey build() throws SQLException {
      if (values.isEmpty()) {
        throw new SQLException("a sharding key needs at least one value", "22023");
      }
      return new GaussShardingKey(new ArrayList<>(values));
    }
  }
}
