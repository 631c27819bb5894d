package io.gauss.bench.routing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The compute nodes, each over a separate connection that is not counted: reads their counts of all
 * transactions whose clients choose nodes. For one thread at a time.
 */
final class ComputeNodes implements AutoCloseable {
  private static final String COUNTS =
      "SELECT sum(transactions), sum(page_accesses), sum(transfers), sum(sampled_pages),"
          + " sum(sampled_transfers) FROM gauss.routing WHERE routing <> 'off'";
  private static final String PUBLICATION =
      "SELECT max(version), max(size) FROM gauss.routing_publications WHERE kind = ?";

  private final List<Connection> connections = new ArrayList<>();

  /** Connects to the nodes at these addresses, {@code host:port}. */
  ComputeNodes(List<String> addresses, String user, String password) throws SQLException {
    try {
      for (String address : addresses) {
        connections.add(
            DriverManager.getConnection(
                "jdbc:gauss://" + address + "/gauss?routing.mode=off", user, password));
      }
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  /** Counts of all nodes together since they were started. */
  TransferCounts counts() throws SQLException {
    TransferCounts sum = TransferCounts.NONE;
    for (Connection connection : connections) {
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(COUNTS)) {
        rows.next();
        sum =
            sum.plus(
                new TransferCounts(
                    rows.getLong(1),
                    rows.getLong(2),
                    rows.getLong(3),
                    rows.getLong(4),
                    rows.getLong(5)));
      }
    }
    return sum;
  }

  /** The first node's publication, for users. */
  String publication(String kind) throws SQLException {
    try (var statement = connections.getFirst().prepareStatement(PUBLICATION)) {
      statement.setString(1, kind);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        long version = rows.getLong(1);
        return rows.wasNull()
            ? "no " + kind + " is published"
            : "%s: version %d, %d bytes".formatted(kind, version, rows.getInt(2));
      }
    }
  }

  @Override
  public void close() throws SQLException {
    SQLException failure = null;
    for (Connection connection : connections) {
      try {
        connection.close();
      } catch (SQLException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
