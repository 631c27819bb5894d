package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.RouteRequest;
import io.gauss.jdbc.routing.Router;
import io.gauss.jdbc.routing.Routers;
import io.gauss.jdbc.routing.RoutingMode;
import io.gauss.jdbc.routing.Topology;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The state that all connections with the same hosts and properties share: the nodes, the router,
 * and the monitor that watches the nodes. {@link Clusters} creates them and counts their users.
 * Thread-safe.
 */
public final class Cluster {
  private static final Logger LOG = Logger.getLogger("io.gauss.jdbc");
  private static final long KNOWN_FOR_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A listening node is reached in less than this; another one must not delay an application. */
  private static final long FIRST_LOOK_MILLIS = 250;

  private static final Driver PGJDBC = new org.postgresql.Driver();

  private final ClusterOptions options;
  private final KnownNodes nodes;
  private final DriverStatistics statistics;
  private final ClusterMonitor monitor;

  private final AtomicInteger turn = new AtomicInteger();

  // Guarded by the lock of Clusters.
  int users;
  private Router router;
  private volatile long discoveredNanos;
  private volatile boolean isDiscovered;

  Cluster(ClusterOptions options, List<ClusterNode> fromUrl) {
    this.options = options;
    this.nodes = new KnownNodes(fromUrl);
    this.statistics = DriverStatistics.of(fromUrl, options.databaseAndParameters(), options.mode());
    this.monitor = new ClusterMonitor(this);
  }

  public ClusterOptions options() {
    return options;
  }

  KnownNodes nodes() {
    return nodes;
  }

  public DriverStatistics statistics() {
    return statistics;
  }

  public Topology topology() {
    return nodes.topology();
  }

  // ---- life, called by Clusters

  /**
   * Called for the first user.
   *
   * @throws SQLException 22023 when there is no such router, or no Micrometer where it is requested
   */
  void open() throws SQLException {
    try {
      router = Routers.create(options.mode(), options.own());
    } catch (IllegalArgumentException e) {
      throw new SQLException(e.getMessage(), "22023", e);
    }
    statistics.begin(router);
  }

  /** Called after the last user. */
  void close() {
    monitor.stop();
    statistics.end(router);
    router.close();
  }

  // ---- connections

  /**
   * A connection to a node that answers; nodes that are down are tried last. Until the cluster's
   * nodes are known the first host of the URL is used, later all nodes in turn: the connections of
   * a pool may stay on the node to which they were opened, and must not all be on one node.
   */
  public NodeConnection connectFirst() throws SQLException {
    List<ClusterNode> order = new ArrayList<>();
    boolean isDealt = isRouted() && nodes.areTold();
    if (isDealt) {
      order.addAll(topology().usable());
      Collections.rotate(order, -turn.incrementAndGet());
    }
    for (ClusterNode node : nodes.fromUrl()) {
      if (!order.contains(node)) {
        order.add(node);
      }
    }
    order.sort((a, b) -> Boolean.compare(isDown(a), isDown(b))); // stable
    NodeConnection made = connectAny(order);
    made.provisional(!isDealt && options.discover());
    return made;
  }

  private boolean isDown(ClusterNode node) {
    ClusterNode now = topology().byAddress(node.host(), node.port());
    return now != null && !now.isUsable();
  }

  /** A connection to any node that answers, except those; the least loaded ones first. */
  public NodeConnection connectInsteadOf(ClusterNode gone) throws SQLException {
    List<ClusterNode> order = new ArrayList<>(topology().nodes());
    Collections.shuffle(order);
    order.sort(
        (a, b) -> {
          int byState = Boolean.compare(!a.isUsable(), !b.isUsable());
          return byState != 0 ? byState : Boolean.compare(a.equals(gone), b.equals(gone));
        });
    return connectAny(order);
  }

  private NodeConnection connectAny(List<ClusterNode> order) throws SQLException {
    SQLException failure = null;
    for (ClusterNode node : order) {
      try {
        return connect(node);
      } catch (SQLException e) {
        if (!isWorthAnotherNode(e)) {
          throw e;
        }
        LOG.log(Level.FINE, "no connection to " + node, e);
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    throw failure;
  }

  /** A connection to that node; if it fails the node is avoided until it answers. */
  public NodeConnection connect(ClusterNode node) throws SQLException {
    try {
      Connection physical = openPhysical(node);
      nodes.found(node, true);
      NodeConnection made = new NodeConnection(node, physical, statistics.node(node));
      tellMode(made);
      return made;
    } catch (SQLException e) {
      if (isWorthAnotherNode(e)) {
        lost(node);
      }
      throw e;
    }
  }

  /** Whether there are several nodes, and routing is on. */
  public boolean isRouted() {
    return options.mode() != RoutingMode.OFF && topology().nodes().size() > 1;
  }

  /** For the server's view {@code gauss.routing}; PostgreSQL also accepts the setting. */
  private void tellMode(NodeConnection to) throws SQLException {
    if (!isRouted() || to.knowsMode()) {
      return;
    }
    try (Statement statement = to.connection().createStatement()) {
      statement.execute("SET gauss.routing = '" + options.mode().text() + "'");
      to.modeTold();
    } catch (SQLException e) {
      Closing.quietly(to.connection());
      throw e;
    }
  }

  /** A connection for the monitor or for an application. */
  Connection openPhysical(ClusterNode node) throws SQLException {
    Properties properties = new Properties();
    properties.putAll(options.pgjdbc());
    String url = "jdbc:postgresql://" + node.address() + options.databaseAndParameters();
    Connection physical = PGJDBC.connect(url, properties);
    if (physical == null) {
      // Without the parameters, of which one may be a password.
      throw new SQLException("pgjdbc does not take the address " + node.address(), "08001");
    }
    return physical;
  }

  /** Connection failures, a node that starts or shuts down, and one with too many connections. */
  public static boolean isWorthAnotherNode(SQLException e) {
    String state = e.getSQLState();
    return state != null
        && (state.startsWith("08") || state.startsWith("57P") || state.equals("53300"));
  }

  /** A node does not answer. */
  public void lost(ClusterNode node) {
    if (isRouted()) {
      nodes.found(node, false);
      monitor.start(); // it finds out when the node is back
      monitor.wake();
    }
  }

  /** Makes the monitor read the cluster's state now. */
  public void look() {
    monitor.wake();
  }

  // ---- nodes and routes

  /** Learns about the other nodes from an application's first connection. */
  public void discover(NodeConnection by) throws SQLException {
    if (options.mode() == RoutingMode.OFF) {
      return;
    }
    boolean isKnown = isDiscovered && System.nanoTime() - discoveredNanos < KNOWN_FOR_NANOS;
    if (!isKnown && options.discover()) {
      List<ClusterNode> told = TopologyReader.read(by.connection(), by.node());
      if (told != null) {
        nodes.told(told);
      }
      discoveredNanos = System.nanoTime();
      isDiscovered = true;
    }
    if (isRouted()) {
      monitor.start();
      if (!nodes.unproven().isEmpty()) {
        monitor.awaitFirstLook(FIRST_LOOK_MILLIS);
      }
      tellMode(by);
    }
  }

  /** Asks the router; its failures are logged, and have no other effect. */
  public Decision route(RouteRequest request) {
    long started = System.nanoTime();
    try {
      return router.route(request);
    } catch (RuntimeException e) {
      // Without the statement, which may contain values that are not to be in logs.
      LOG.log(Level.WARNING, "the router failed for a statement", e);
      return Decision.anywhere("the router failed");
    } finally {
      statistics.decided(System.nanoTime() - started);
    }
  }

  /** Explains the router's current decision. */
  public List<String> explain(RouteRequest request) {
    return router.explain(request);
  }

  /** Asks the node how many pages transactions of this mode found there. */
  private void readShare(Connection connection) throws SQLException {
    try (PreparedStatement question =
        connection.prepareStatement("SELECT here_share FROM gauss.routing WHERE routing = ?")) {
      question.setString(1, options.mode().text());
      try (ResultSet row = question.executeQuery()) {
        if (row.next()) {
          double share = row.getDouble(1);
          statistics.here(row.wasNull() ? Double.NaN : share);
        }
      }
    } catch (SQLException e) {
      if (!TopologyReader.isNoCluster(e)) {
        throw e;
      }
      LOG.log(Level.FINER, "the server does not tell what was here", e);
    }
  }

  /** Nobody has confirmed for long that they are still right. */
  void forgetRoutes() {
    router.forget();
  }

  void refreshRouter(Connection connection) throws SQLException {
    router.refresh(connection, topology());
    if (DriverStatistics.isObserved()) {
      readShare(connection);
    }
  }
}
