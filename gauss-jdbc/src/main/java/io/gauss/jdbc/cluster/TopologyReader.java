package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Reads the compute nodes from the view {@code gauss.nodes}. Columns are found by name, so that
 * servers may add some; {@code load} is read when it exists. A node whose host is not the name or
 * address of one is left out ({@link HostName}).
 */
final class TopologyReader {
  private static final String COMPUTE = "compute";
  private static final int MAX_PORT = 65_535;

  private TopologyReader() {}

  /**
   * The compute nodes as reported by one of them.
   *
   * @param asked the node of the connection, which keeps the address by which it was reached
   * @return null when the server has no such view, or does not show it: it is treated as no cluster
   * @throws SQLException when the connection breaks
   */
  static List<ClusterNode> read(Connection connection, ClusterNode asked) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(5);
      try (ResultSet rows = statement.executeQuery("SELECT * FROM gauss.nodes")) {
        return nodes(rows, asked);
      }
    } catch (SQLException e) {
      if (isNoCluster(e)) {
        return null;
      }
      throw e;
    }
  }

  /** There is no such schema, table or column, or no privilege to read it. */
  static boolean isNoCluster(SQLException e) {
    String state = e.getSQLState();
    return state != null && (state.startsWith("42") || state.startsWith("3F"));
  }

  private static List<ClusterNode> nodes(ResultSet rows, ClusterNode asked) throws SQLException {
    Set<String> columns = new HashSet<>();
    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
      columns.add(rows.getMetaData().getColumnName(i).toLowerCase(Locale.ROOT));
    }
    List<ClusterNode> nodes = new ArrayList<>();
    while (rows.next()) {
      if (!rows.getString("role").contains(COMPUTE)) {
        continue;
      }
      int number = rows.getInt("id");
      ClusterNode.State state = state(rows.getString("state"));
      double load = columns.contains("load") ? rows.getDouble("load") : Double.NaN;
      if (columns.contains("load") && rows.wasNull()) {
        load = Double.NaN;
      }
      String host = rows.getString("host");
      int port = rows.getInt("port");
      boolean isAddress = HostName.isValid(host) && port > 0 && port <= MAX_PORT;
      rows.getObject("pid"); // a node only knows its own
      if (!rows.wasNull()) {
        nodes.add(new ClusterNode(number, asked.host(), asked.port(), state, load));
      } else if (isAddress && isReachableFrom(asked, host)) {
        nodes.add(new ClusterNode(number, bracketed(host), port, state, load));
      }
    }
    return nodes;
  }

  private static String bracketed(String host) {
    return host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
  }

  /** A loopback address of the server is useless to clients on another machine. */
  private static boolean isReachableFrom(ClusterNode asked, String host) {
    return !isLoopback(host) || isLoopback(asked.host());
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static ClusterNode.State state(String text) {
    if (text == null || text.startsWith("UP") || text.startsWith("degraded")) {
      return ClusterNode.State.UP;
    }
    return text.startsWith("DRAINING") ? ClusterNode.State.DRAINING : ClusterNode.State.DOWN;
  }
}
