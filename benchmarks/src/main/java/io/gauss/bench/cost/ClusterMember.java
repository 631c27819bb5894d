package io.gauss.bench.cost;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A node of a cluster, as {@code gauss.nodes} shows it.
 *
 * @param role compute, memory or storage
 * @param host null when unknown
 * @param port at which it listens; 0 when unknown
 */
record ClusterMember(String role, String host, int port) {
  private static final String QUERY = "SELECT role, host, port FROM gauss.nodes ORDER BY role, id";

  /** SQLSTATEs of servers that have no such view: neither schema nor table, or no such name. */
  private static final List<String> NO_VIEW = List.of("3F000", "42P01");

  /**
   * The nodes of the cluster that one is connected to; none when the server is not Gauss. A
   * transaction that is open is rolled back.
   */
  static List<ClusterMember> all(Connection connection) throws SQLException {
    List<ClusterMember> members = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(QUERY)) {
      while (rows.next()) {
        members.add(new ClusterMember(rows.getString(1), rows.getString(2), rows.getInt(3)));
      }
      return members;
    } catch (SQLException e) {
      if (e.getSQLState() == null || !NO_VIEW.contains(e.getSQLState())) {
        throw e;
      }
      return List.of();
    } finally {
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
    }
  }

  /** Its process, if it is on this machine and can be seen. */
  Optional<ServerProcess> process() {
    if (host == null || port <= 0) {
      return Optional.empty();
    }
    try {
      InetAddress address = InetAddress.getByName(host);
      return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null
          ? ServerProcess.at(address, port)
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
