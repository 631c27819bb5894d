package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.Decision.Cause;
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
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The state that all connections with the same hosts and properties share: the nodes, the router,
 * and the monitor that watches the nodes. {@link Clusters} creates them and counts their users.
 * Thread-safe.
 */
public final class Cluster {
  /** A session with physical connections of which it uses one at a time. */
  public interface Idle {
    /** Closes those that it has not used for this time. From any thread. */
    void retire(long idleNanos);
  }

  private static final Logger LOG = Logger.getLogger("io.gauss.jdbc");
  private static final long KNOWN_FOR_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A listening node is reached in less than this; another one must not delay an application. */
  private static final long FIRST_LOOK_MILLIS = 250;

  /** A node that answers no login for so long is down. */
  private static final String PROBE = "loginTimeout=3&connectTimeout=3&socketTimeout=3";

  private static final int MONITOR_MILLIS = 10_000;

  private static final Driver PGJDBC = new org.postgresql.Driver();

  private final ClusterOptions options;
  private final KnownNodes nodes;
  private final DriverStatistics statistics;
  private final ClusterMonitor monitor;
  private final Balance balance;
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
    this.balance = new Balance(options.rebalanceSeconds());
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
    router.onQuestions(monitor::routerAsks);
    statistics.begin(router);
    monitor.mayStart();
  }

  /** Called after the last user. */
  void close() {
    monitor.stop();
    statistics.end(router);
    router.close();
  }

  // ---- connections

  /**
   * A connection to a node that answers; nodes that are down or take no connections are tried last.
   * Until the cluster's nodes are known the first host of the URL is used, later all nodes in turn:
   * the connections of a pool may stay on the node to which they were opened, and must not all be
   * on one node.
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
    order.sort(Comparator.comparingInt(this::reluctance)); // stable
    NodeConnection made = connectAny(order, Limit.NONE);
    made.provisional(!isDealt && options.discover());
    return made;
  }

  /** How late a node is tried. */
  private int reluctance(ClusterNode node) {
    ClusterNode now = topology().byAddress(node.host(), node.port());
    if (now != null && !now.isUsable()) {
      return 2;
    }
    return nodes.takesNew(node) ? 0 : 1;
  }

  /** A connection to any node that answers; that one is tried last. */
  public NodeConnection connectInsteadOf(ClusterNode gone, Limit limit) throws SQLException {
    List<ClusterNode> order = new ArrayList<>(topology().nodes());
    Collections.shuffle(order);
    order.sort(
        Comparator.comparingInt(this::reluctance)
            .thenComparing((a, b) -> Boolean.compare(a.equals(gone), b.equals(gone))));
    return connectAny(order, limit);
  }

  private NodeConnection connectAny(List<ClusterNode> order, Limit limit) throws SQLException {
    SQLException failure = null;
    for (ClusterNode node : order) {
      try {
        return connect(node, limit);
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

  /** Whether another connection to that node broke lately. Cheap as long as all nodes are well. */
  public boolean isSuspect(ClusterNode node) {
    return nodes.isSuspect(node);
  }

  /** Whether a connection to that node may be opened, or other nodes come first. */
  public boolean takesNew(ClusterNode node) {
    return nodes.takesNew(node);
  }

  /** A connection to that node; if that fails, others are used until it answers. */
  public NodeConnection connect(ClusterNode node, Limit limit) throws SQLException {
    Connection physical = open(node, limit.parameters());
    NodeConnection made = new NodeConnection(node, physical, statistics.node(node));
    tellMode(made);
    return made;
  }

  /** The monitor's own connection, which is a probe as well. */
  Connection openForMonitor(ClusterNode node) throws SQLException {
    try {
      Connection made = open(node, PROBE);
      made.setNetworkTimeout(Runnable::run, MONITOR_MILLIS);
      return made;
    } catch (SQLException e) {
      probeFailed(node, e);
      throw e;
    }
  }

  /** Finds out by a login and a query whether a node answers. */
  void probe(ClusterNode node) {
    try (Connection probe = open(node, PROBE);
        Statement statement = probe.createStatement()) {
      statement.execute("SELECT 1");
    } catch (SQLException e) {
      LOG.log(Level.FINE, "a probe of " + node + " failed", e);
      probeFailed(node, e);
    }
  }

  private void probeFailed(ClusterNode node, SQLException e) {
    if (!isWorthAnotherNode(e)) {
      nodes.found(node, NodeHealth::connected); // it says what is wrong, to applications as well
    } else if (!isRefusal(e)) {
      nodes.found(node, NodeHealth::probeFailed);
    }
  }

  private Connection open(ClusterNode node, String parameters) throws SQLException {
    NodeHealth begun = nodes.known(node);
    try {
      Connection physical = openPhysical(node, parameters);
      nodes.found(node, now -> now.connectedSince(begun));
      return physical;
    } catch (SQLException e) {
      if (isRefusal(e)) {
        suspect(node, health -> health.refused(System.nanoTime()));
      } else if (isWorthAnotherNode(e)) {
        lost(node);
      }
      throw e;
    }
  }

  /** Whether there are several nodes, and routing is on. */
  public boolean isRouted() {
    return options.mode() != RoutingMode.OFF && topology().nodes().size() > 1;
  }

  /** Tells a server how nodes are chosen; null when there is nothing to choose. */
  public String modeStatement() {
    return isRouted() ? "SET gauss.routing = '" + options.mode().text() + "'" : null;
  }

  /** For the server's view {@code gauss.routing}; PostgreSQL also accepts the setting. */
  private void tellMode(NodeConnection to) throws SQLException {
    if (!isRouted() || to.knowsMode()) {
      return;
    }
    try (Statement statement = to.connection().createStatement()) {
      statement.execute(modeStatement());
      to.modeTold();
    } catch (SQLException e) {
      Closing.quietly(to.connection());
      throw e;
    }
  }

  private Connection openPhysical(ClusterNode node, String parameters) throws SQLException {
    Properties properties = new Properties();
    properties.putAll(options.pgjdbc());
    String tail = options.databaseAndParameters();
    String more = parameters.isEmpty() ? "" : (tail.contains("?") ? "&" : "?") + parameters;
    Connection physical =
        PGJDBC.connect("jdbc:postgresql://" + node.address() + tail + more, properties);
    if (physical == null) {
      // Without the parameters, of which one may be a password.
      throw new SQLException("pgjdbc does not take the address " + node.address(), "08001");
    }
    return physical;
  }

  /** Connection failures, a node that starts or shuts down, and one with too many connections. */
  public static boolean isWorthAnotherNode(SQLException e) {
    String state = e.getSQLState();
    return state != null && (state.startsWith("08") || isRefusal(e));
  }

  /** The node answers, and takes no new connection. */
  private static boolean isRefusal(SQLException e) {
    String state = e.getSQLState();
    return state != null && (state.startsWith("57P") || state.equals("53300"));
  }

  /** A connection broke, or could not be opened. Whether the node is down, a probe finds out. */
  public void lost(ClusterNode node) {
    suspect(node, NodeHealth::broke);
  }

  /** The monitor's connection broke, or its question was not answered in time. */
  void monitorLost(ClusterNode node, SQLException e) {
    if (isWorthAnotherNode(e) && !isRefusal(e)) {
      nodes.found(node, NodeHealth::broke);
    }
  }

  /** Only where the monitor finds out when the node is well again. */
  private void suspect(ClusterNode node, UnaryOperator<NodeHealth> event) {
    if (isRouted()) {
      nodes.found(node, event);
      monitor.start();
      monitor.wake();
    }
  }

  // ---- connections that stay

  /** A session is on this node. */
  public Seat arrived(ClusterNode node, Idle session) {
    forgetSessions(); // here as well, since there may be no monitor; this one is a user already
    return balance.arrived(node, session);
  }

  public void moved(Seat seat, ClusterNode to) {
    balance.moved(seat, to);
  }

  /** A session ends. False when it has been forgotten before, and its user released. */
  public boolean left(Seat seat) {
    return balance.left(seat);
  }

  /** What applications have forgotten to close, and pgjdbc has closed, does not count any more. */
  void forgetSessions() {
    for (int left = balance.forget(); left > 0; left--) {
      LOG.fine("a connection was never closed");
      Clusters.release(this);
    }
  }

  /** Closes connections that sessions have not used for a while. */
  void retireIdle() {
    if (options.idleSeconds() > 0) {
      long idleNanos = TimeUnit.SECONDS.toNanos(options.idleSeconds());
      balance.sessions().forEach(session -> session.retire(idleNanos));
    }
  }

  void lookAtBalance() {
    if (options.mode() == RoutingMode.STICKY) {
      balance.look(nodes.open(), !nodes.areTold(), System.nanoTime());
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
      if (!nodes.toProbe(System.nanoTime()).isEmpty()) {
        monitor.awaitFirstLook(FIRST_LOOK_MILLIS);
      }
      tellMode(by);
    }
  }

  /** Asks the router; its failures are logged, and have no other effect. */
  public Decision route(RouteRequest request) {
    long started = System.nanoTime();
    try {
      Decision decision = router.route(request);
      return decision.cause() == Cause.STICKY ? spread(request, decision) : decision;
    } catch (RuntimeException e) {
      // Without the statement, which may contain values that are not to be in logs.
      LOG.log(Level.WARNING, "the router failed for a statement", e);
      return Decision.anywhere("the router failed");
    } finally {
      statistics.decided(System.nanoTime() - started);
    }
  }

  /** A connection that stays may be one of too many on its node. */
  private Decision spread(RouteRequest request, Decision decision) {
    if (request.current() == null || !request.current().equals(decision.node())) {
      return decision;
    }
    ClusterNode target = balance.target(request.current(), System.nanoTime());
    return target == null
        ? decision
        : Decision.on(target, Cause.STICKY, "sticky: connections are spread again");
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

  /** Asks the node what the router wants to know. */
  void askForRouter(Connection connection) throws SQLException {
    router.ask(connection);
  }

  void refreshRouter(Connection connection) throws SQLException {
    router.refresh(connection, topology());
    if (DriverStatistics.isObserved()) {
      readShare(connection);
    }
  }
}
