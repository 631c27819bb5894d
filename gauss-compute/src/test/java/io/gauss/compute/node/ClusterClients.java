package io.gauss.compute.node;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Connections of some clients to the nodes of a cluster, made when they are needed. Thread-safe.
 */
final class ClusterClients implements AutoCloseable {
  private final FaultyCluster cluster;
  private final Map<Place, Open> open = new ConcurrentHashMap<>();

  private record Place(int client, int node) {}

  private record Open(OneNode to, Connection connection) {}

  ClusterClients(FaultyCluster cluster) {
    this.cluster = cluster;
  }

  /** A connection of this client; null when the node is not there. */
  Connection of(int client, int node) throws SQLException {
    OneNode to = cluster.compute(node);
    Place place = new Place(client, node);
    Open before = open.get(place);
    if (to == null) {
      return null;
    }
    if (before != null && before.to() == to && !before.connection().isClosed()) {
      return before.connection();
    }
    Connection connection = to.connect();
    connection.setAutoCommit(false);
    open.put(place, new Open(to, connection));
    if (cluster.compute(node) != to) {
      cut(node); // killed meanwhile, and it may have been too soon for this one
      return null;
    }
    return connection;
  }

  /** The node is dead: who waits for it hears so. */
  void cut(int node) {
    open.forEach(
        (place, one) -> {
          if (place.node() == node && cluster.compute(node) != one.to()) {
            abort(one.connection());
          }
        });
  }

  private static void abort(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws SQLException {
    for (Open one : open.values()) {
      one.connection().close();
    }
  }
}
