package io.gauss.jdbc.cluster;

import java.net.URI;
import java.net.URISyntaxException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A parsed {@code jdbc:gauss://host[:port][,host[:port]...]/database[?name=value&...]}.
 *
 * @param nodes compute nodes in the order given
 * @param databaseAndParameters the part after the hosts, including the slash, passed to pgjdbc
 *     unchanged
 */
public record GaussUrl(List<Node> nodes, String databaseAndParameters) {
  public static final String PREFIX = "jdbc:gauss:";
  static final int DEFAULT_PORT = 5432;

  /** A compute node's address; IPv6 literals keep their brackets. */
  public record Node(String host, int port) {
    @Override
    public String toString() {
      return host + ":" + port;
    }
  }

  /** Without the parameters, of which one may be a password. */
  @Override
  public String toString() {
    return PREFIX + "//" + nodes;
  }

  public static boolean accepts(String url) {
    return url != null && url.startsWith(PREFIX);
  }

  /**
   * @throws SQLException 08001 when the text is not a URL of this driver
   */
  public static GaussUrl parse(String url) throws SQLException {
    String rest = url.substring(PREFIX.length());
    if (!rest.startsWith("//")) {
      throw malformed(url, "// is missing after " + PREFIX);
    }
    int end = rest.indexOf('/', 2);
    int query = rest.indexOf('?', 2);
    if (end < 0 || (query >= 0 && query < end)) {
      end = query < 0 ? rest.length() : query;
    }
    List<Node> nodes = new ArrayList<>();
    for (String address : rest.substring(2, end).split(",", -1)) {
      nodes.add(node(url, address));
    }
    String tail = rest.substring(end);
    return new GaussUrl(List.copyOf(nodes), tail.startsWith("/") ? tail : "/" + tail);
  }

  private static Node node(String url, String address) throws SQLException {
    if (address.isEmpty()) {
      throw malformed(url, "a host is empty");
    }
    try {
      URI uri = new URI("tcp://" + address);
      if (uri.getHost() == null || uri.getUserInfo() != null || uri.getPort() > 65535) {
        throw malformed(url, notAnAddress(url, address));
      }
      return new Node(uri.getHost(), uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort());
    } catch (URISyntaxException e) {
      throw malformed(url, notAnAddress(url, address));
    }
  }

  /** Without the address where it may be part of a password. */
  private static String notAnAddress(String url, String address) {
    return hosts(url).contains("@")
        ? "name and password are no part of it; they are parameters"
        : "not a host and port: " + address;
  }

  /**
   * Without the parameters, of which one may be a password, and without {@code user:password@},
   * which other drivers take.
   */
  private static SQLException malformed(String url, String why) {
    String shown = hosts(url);
    int at = shown.lastIndexOf('@');
    if (at >= 0) {
      shown = PREFIX + "//..." + shown.substring(at);
    }
    if (url.indexOf('?') >= 0) {
      shown += "?...";
    }
    return new SQLException("malformed URL " + shown + ": " + why, "08001");
  }

  /** The URL up to its parameters. */
  private static String hosts(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query);
  }

  /** The pgjdbc URL of one of the nodes. */
  public String pgjdbcUrl(Node node) {
    return "jdbc:postgresql://" + node + databaseAndParameters;
  }
}
