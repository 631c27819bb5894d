package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Router;
import io.gauss.jdbc.routing.RouterReport;
import io.gauss.jdbc.routing.RoutingMode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/**
 * The driver's statistics for all connections with the same hosts, database and mode since the
 * process began; kept when the last of them is closed, so that counters never decrease.
 * Thread-safe.
 */
public final class DriverStatistics {
  /** Is notified of new statistics, and of each decision's time. */
  public interface Observer {
    /** Statistics of a cluster exist, new or from before the registration. */
    void cluster(DriverStatistics statistics);

    /** Statistics of a node exist. */
    void node(DriverStatistics statistics, String address, NodeRoutes routes);

    /** A decision took this number of ns. On an application's thread. */
    void decided(DriverStatistics statistics, long nanos);
  }

  private record Key(List<ClusterNode> hosts, String database, RoutingMode mode) {}

  private static final Map<Key, DriverStatistics> ALL = new ConcurrentHashMap<>();
  private static final List<Observer> OBSERVERS = new CopyOnWriteArrayList<>();

  private final LongAdder failovers = new LongAdder();
  private final LongAdder losses = new LongAdder();
  private final LongAdder retries = new LongAdder();

  private final String cluster;
  private final RoutingMode mode;
  private final Map<String, NodeRoutes> nodes = new ConcurrentHashMap<>();
  private RouterReport before;
  private Router router;
  private volatile double hereShare = Double.NaN;

  private DriverStatistics(Key key) {
    this.cluster =
        String.join(",", key.hosts().stream().map(ClusterNode::address).toList())
            + "/"
            + key.database();
    this.mode = key.mode();
  }

  /** The statistics of that cluster, created when there are none yet. */
  public static DriverStatistics of(List<ClusterNode> hosts, String tail, RoutingMode mode) {
    String database = tail.substring(tail.startsWith("/") ? 1 : 0).replaceFirst("[?].*", "");
    Key key = new Key(hosts, database, mode);
    DriverStatistics known = ALL.get(key);
    if (known != null) {
      return known;
    }
    DriverStatistics made = new DriverStatistics(key);
    known = ALL.putIfAbsent(key, made);
    if (known == null) {
      OBSERVERS.forEach(observer -> observer.cluster(made));
      return made;
    }
    return known;
  }

  /** Notifies the observer of all current and future statistics. */
  public static void observe(Observer observer) {
    OBSERVERS.add(observer);
    for (DriverStatistics statistics : ALL.values()) {
      observer.cluster(statistics);
      statistics.nodes.forEach((address, routes) -> observer.node(statistics, address, routes));
    }
  }

  static boolean isObserved() {
    return !OBSERVERS.isEmpty();
  }

  /** Hosts and database. */
  public String cluster() {
    return cluster;
  }

  public RoutingMode mode() {
    return mode;
  }

  /** Counters of a node. */
  public NodeRoutes node(ClusterNode node) {
    String address = node.address();
    NodeRoutes known = nodes.get(address);
    if (known != null) {
      return known;
    }
    NodeRoutes made = new NodeRoutes();
    known = nodes.putIfAbsent(address, made);
    if (known == null) {
      OBSERVERS.forEach(observer -> observer.node(this, address, made));
      return made;
    }
    return known;
  }

  /** A session continues with another node. */
  public void failedOver() {
    failovers.increment();
  }

  public long failovers() {
    return failovers.sum();
  }

  /** A connection broke under a statement or in a transaction. */
  public void lostOne() {
    losses.increment();
  }

  public long losses() {
    return losses.sum();
  }

  /** A statement is repeated since the server rolled it back because of conflicts with others. */
  public void retried() {
    retries.increment();
  }

  public long retries() {
    return retries.sum();
  }

  public void decided(long nanos) {
    if (!OBSERVERS.isEmpty()) {
      for (Observer observer : OBSERVERS) {
        observer.decided(this, nanos);
      }
    }
  }

  /** A router is active from now on. */
  public synchronized void begin(Router next) {
    router = next;
  }

  /** The router has ended. Another with the same hosts may continue. */
  public synchronized void end(Router last) {
    before = before == null ? last.report() : last.report().plus(before);
    router = router == last ? null : router;
  }

  /** The report of all routers, with the version and engine of the active one. */
  public synchronized RouterReport router() {
    if (router == null) {
      return before;
    }
    return before == null ? router.report() : router.report().plus(before);
  }

  /** Share of the pages touched by sampled transactions of this mode that were there already. */
  void here(double share) {
    hereShare = share;
  }

  /** NaN when it is unknown. */
  public double here() {
    return hereShare;
  }
}
