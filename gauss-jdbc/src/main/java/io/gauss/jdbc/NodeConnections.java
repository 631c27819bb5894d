package io.gauss.jdbc;

import io.gauss.jdbc.cluster.Closing;
import io.gauss.jdbc.cluster.Cluster;
import io.gauss.jdbc.cluster.Limit;
import io.gauss.jdbc.cluster.NodeConnection;
import io.gauss.jdbc.cluster.Seat;
import io.gauss.jdbc.routing.ClusterNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The physical connections of a logical one: at most one per node, opened when it is first needed.
 * One of them is the current one; only it may have a transaction open. The others are closed when
 * nobody has used them for a while. For one thread at a time, except for {@link #current}, {@link
 * #retire} and {@link #end}.
 */
final class NodeConnections implements Cluster.Idle {
  private static final Logger LOG = Logger.getLogger("io.gauss.jdbc");

  private final Cluster cluster;
  private final SessionSettings settings;
  private final Map<ClusterNode, NodeConnection> open = new ConcurrentHashMap<>(4);
  private final ReentrantLock lock = new ReentrantLock(); // of changes of what is current
  private final Seat seat;
  private volatile NodeConnection current;
  private boolean isEnded; // guarded by the lock
  private volatile boolean isCounted = true;

  NodeConnections(Cluster cluster, SessionSettings settings, NodeConnection first) {
    this.cluster = cluster;
    this.settings = settings;
    this.current = first;
    open.put(first.node(), first);
    seat = cluster.arrived(first.node(), this);
  }

  NodeConnection current() {
    return current;
  }

  /**
   * The current connection if it is open and its node is not about to leave, else one to another
   * node, with the session's settings. Only outside a transaction.
   *
   * @param limit for opening a connection
   * @throws SQLException 08001 or similar when no node can be reached
   */
  NodeConnection any(Limit limit) throws SQLException {
    NodeConnection now = current;
    if (mayStay(now)) {
      return now;
    }
    drop(now);
    for (ClusterNode node : cluster.topology().usable()) {
      NodeConnection known = open.get(node);
      if (known != null && claims(known)) {
        cluster.statistics().failedOver();
        return become(known);
      }
    }
    cluster.statistics().failedOver();
    NodeConnection made = cluster.connectInsteadOf(now.node(), limit);
    return take(made);
  }

  private boolean mayStay(NodeConnection now) throws SQLException {
    return now.isThere(cluster.isSuspect(now.node()))
        && isWelcome(now.node())
        && isOrGetsReady(now);
  }

  /**
   * A node that accepts no new work, or that the cluster no longer lists, is left, unless there is
   * no other.
   */
  private boolean isWelcome(ClusterNode node) {
    if (cluster.topology().nodes().size() == 1) {
      return true;
    }
    ClusterNode known = cluster.topology().byAddress(node.host(), node.port());
    return (known != null && known.isUsable()) || cluster.topology().usable().isEmpty();
  }

  /**
   * A connection to that node, with the session's settings; to another one if that node cannot be
   * reached. Only outside a transaction.
   */
  NodeConnection to(ClusterNode node, Limit limit) throws SQLException {
    if (current.node().equals(node)) {
      return any(limit);
    }
    NodeConnection known = open.get(node);
    if (known != null) {
      if (claims(known)) {
        return become(known);
      }
      drop(known);
    }
    if (!cluster.takesNew(node)) {
      return any(limit);
    }
    NodeConnection made;
    try {
      made = cluster.connect(node, limit);
    } catch (SQLException e) {
      if (!Cluster.isWorthAnotherNode(e)) {
        throw e;
      }
      LOG.log(Level.FINE, "no connection to " + node, e);
      return any(limit);
    }
    return take(made);
  }

  private NodeConnection take(NodeConnection made) throws SQLException {
    NodeConnection before = open.put(made.node(), made);
    if (before != null) {
      Closing.quietly(before.connection());
    }
    try {
      settings.bring(made);
      return become(made);
    } catch (SQLException e) {
      drop(made);
      throw e;
    }
  }

  private NodeConnection become(NodeConnection next) throws SQLException {
    if (next == current) {
      return next;
    }
    lock.lock();
    try {
      if (isEnded) {
        Closing.quietly(next.connection()); // it was opened while another thread ended the session
        throw new SQLException("This connection has been closed.", "08003");
      }
      cluster.moved(seat, next.node());
      current.park();
      current = next;
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** Makes a parked connection usable. False when it is not there any more. */
  private boolean claims(NodeConnection parked) throws SQLException {
    if (!parked.claim()) {
      return false;
    }
    boolean isUsed = false;
    try {
      isUsed = parked.isThere(cluster.isSuspect(parked.node())) && isOrGetsReady(parked);
      return isUsed;
    } finally {
      if (!isUsed) {
        parked.park();
      }
    }
  }

  @Override
  public void retire(long idleNanos) {
    for (NodeConnection connection : open.values()) {
      if (connection.retire(idleNanos)) {
        drop(connection);
      }
    }
  }

  /** The session ends. Returns all that are open, the current one first. */
  List<Connection> end() {
    lock.lock();
    try {
      if (!isEnded) {
        isEnded = true;
        isCounted = cluster.left(seat);
      }
      List<Connection> all = new ArrayList<>();
      all.add(current.connection());
      for (NodeConnection other : open.values()) {
        if (other != current) {
          all.add(other.connection());
        }
      }
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the session was counted until it ended. */
  boolean isCounted() {
    return isCounted;
  }

  private boolean isReady(NodeConnection connection) {
    return settings.areOn(connection);
  }

  /** False when the connection broke during that. */
  private boolean isOrGetsReady(NodeConnection connection) throws SQLException {
    if (isReady(connection)) {
      return true;
    }
    try {
      settings.bring(connection);
      return true;
    } catch (SQLException e) {
      if (!connection.isBroken()) {
        throw e;
      }
      LOG.log(Level.FINE, "lost " + connection.node(), e);
      return false;
    }
  }

  /**
   * Makes a connection on which an object was opened before the current one, or fails if it is
   * broken.
   */
  NodeConnection backTo(NodeConnection connection) throws SQLException {
    if (connection.isBroken() || !claims(connection)) {
      // It is not retired as long as such an object is open: its node is lost.
      throw new SQLException("the connection to " + connection.node() + " is lost", "08006");
    }
    return become(connection);
  }

  /** Closes it. It stays the current one until another is. */
  void drop(NodeConnection connection) {
    open.remove(connection.node(), connection);
    Closing.quietly(connection.connection());
  }
}
