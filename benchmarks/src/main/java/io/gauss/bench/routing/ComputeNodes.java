package io.gauss.bench.routing;

import io.gauss.bench.cost.ServerProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The compute nodes, each over a separate connection that is not counted: reads their counts of all
 * transactions whose clients choose nodes. For one thread at a time.
 */
final class ComputeNodes implements AutoCloseable {
  private static final String COUNTS =
      "SELECT sum(transactions), sum(page_accesses), sum(transfers), sum(sampled_pages),"
          + " sum(sampled_transfers) FROM gauss.routing WHERE (routing = 'off') = ?";
  private static final String PUBLICATION =
      "SELECT max(version), max(size) FROM gauss.routing_publications WHERE kind = ?";

  private final List<Connection> connections = new ArrayList<>();
  private final Map<Integer, Optional<ServerProcess>> processes = new HashMap<>(); // by port

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
    return counts(false);
  }

  /**
   * The same.
   *
   * @param ofOthers of clients that choose no nodes; a few are this object's own
   */
  TransferCounts counts(boolean ofOthers) throws SQLException {
    TransferCounts sum = TransferCounts.NONE;
    for (Connection connection : connections) {
      try (PreparedStatement statement = connection.prepareStatement(COUNTS)) {
        statement.setBoolean(1, ofOthers);
        try (ResultSet rows = statement.executeQuery()) {
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
    }
    return sum;
  }

  /** Processor time of all roles so far. */
  RoleCpu cpu() throws SQLException {
    Map<String, Double> seconds = new HashMap<>();
    try (Statement statement = connections.getFirst().createStatement();
        ResultSet rows = statement.executeQuery("SELECT role, host, port FROM gauss.nodes")) {
      while (rows.next()) {
        boolean isHere = String.valueOf(rows.getString(2)).startsWith("127.");
        seconds.merge(
            rows.getString(1), isHere ? seconds(rows.getInt(3)) : Double.NaN, Double::sum);
      }
    }
    return new RoleCpu(
        seconds.getOrDefault("compute", Double.NaN),
        seconds.getOrDefault("memory", Double.NaN),
        seconds.getOrDefault("storage", Double.NaN),
        new ServerProcess(ProcessHandle.current().pid()).seconds().orElse(Double.NaN));
  }

  /** NaN where the process cannot be seen. It is looked for only once: that takes a while. */
  private double seconds(int port) {
    return processes
        .computeIfAbsent(port, ServerProcess::at)
        .map(process -> process.seconds().orElse(Double.NaN))
        .orElse(Double.NaN);
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
