package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.SetupQueryRunner;
import org.postgresql.core.TransactionState;

/**
 * A physical connection to one node. As thread-safe as pgjdbc's connections, and in one of these
 * states:
 *
 * <pre>
 * CURRENT  the session uses it         - park ->   PARKED
 * PARKED   another one is in use       - claim ->  CURRENT
 *                                      - retire -> RETIRED, by the monitor's thread
 * RETIRED  closed since nobody used it
 * </pre>
 */
public final class NodeConnection {
  private enum Use {
    CURRENT,
    PARKED,
    RETIRED
  }

  /** pgjdbc checks an idle socket for a millisecond, and at most once in this time. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int ANSWER_MILLIS = 3_000;

  private final ClusterNode node;
  private final BaseConnection connection;
  private final NodeRoutes routes;
  private long lastUsedNanos = System.nanoTime();

  private boolean autoCommit = true;
  private boolean knowsMode;
  private boolean provisional;

  private long settings;
  private final List<WeakReference<ResultSet>> needing = new ArrayList<>(0);
  private final AtomicReference<Use> use = new AtomicReference<>(Use.CURRENT);

  NodeConnection(ClusterNode node, Connection connection, NodeRoutes routes) throws SQLException {
    this.node = node;
    this.connection = connection.unwrap(BaseConnection.class);
    this.routes = routes;
  }

  /** The node as it was when the connection was made. */
  public ClusterNode node() {
    return node;
  }

  /** Counters of the node. */
  public NodeRoutes routes() {
    return routes;
  }

  public Connection connection() {
    return connection;
  }

  /** No transaction is open, as far as the server has reported. */
  public boolean isIdle() {
    return connection.getTransactionState() == TransactionState.IDLE;
  }

  /** The transaction can only be rolled back. */
  public boolean hasFailed() {
    return connection.getTransactionState() == TransactionState.FAILED;
  }

  public boolean isAutoCommit() {
    return autoCommit;
  }

  public void setAutoCommit(boolean on) throws SQLException {
    if (on != autoCommit) {
      connection.setAutoCommit(on);
      autoCommit = on;
    }
  }

  /** Whether the server was informed how nodes are chosen. */
  boolean knowsMode() {
    return knowsMode;
  }

  void modeTold() {
    knowsMode = true;
  }

  /**
   * It was opened before the cluster's nodes were known, to the first that answered: there is no
   * reason yet for the session to be there.
   */
  public boolean isProvisional() {
    return provisional;
  }

  public void provisional(boolean on) {
    provisional = on;
  }

  /** pgjdbc has closed it, because it broke or on request. */
  public boolean isBroken() {
    try {
      return connection.isClosed();
    } catch (SQLException e) {
      return true;
    }
  }

  /** Version of the session's settings that have been made here; 0 = none yet. */
  public long settings() {
    return settings;
  }

  public void settings(long version) {
    settings = version;
  }

  public void used() {
    lastUsedNanos = System.nanoTime();
  }

  /** Another connection becomes the session's current one. */
  public void park() {
    used();
    use.set(Use.PARKED);
  }

  /** The session uses it again. False when it has been retired. */
  public boolean claim() {
    return use.compareAndSet(Use.PARKED, Use.CURRENT);
  }

  /** Something open on it is needed as long as it is open, though another connection is used. */
  public void keepFor(ResultSet open) {
    synchronized (needing) {
      needing.removeIf(NodeConnection::isOver);
      needing.add(new WeakReference<>(open));
    }
  }

  private boolean isNeeded() {
    synchronized (needing) {
      needing.removeIf(NodeConnection::isOver);
      return !needing.isEmpty();
    }
  }

  /** Closed, or nobody has it any more. */
  private static boolean isOver(WeakReference<ResultSet> reference) {
    ResultSet results = reference.get();
    try {
      return results == null || results.isClosed();
    } catch (SQLException e) {
      return true;
    }
  }

  /** Ends it when it has been parked for so long; then the caller closes it. */
  public boolean retire(long idleNanos) {
    return use.get() == Use.PARKED
        && System.nanoTime() - lastUsedNanos >= idleNanos
        && !isNeeded()
        && use.compareAndSet(Use.PARKED, Use.RETIRED);
  }

  /**
   * Checks whether an idle connection is still open, if it was not used for a while: the server may
   * have closed it, or have died. Costs up to a millisecond, and nothing when it was used recently.
   *
   * @param isSuspect another connection to the node broke lately: then the server is asked, outside
   *     of a transaction, and has as long to answer as a probe
   */
  public boolean isThere(boolean isSuspect) {
    if (isBroken()) {
      return false;
    }
    if (isSuspect && connection.getTransactionState() == TransactionState.IDLE) {
      return answers();
    }
    return System.nanoTime() - lastUsedNanos < FRESH_NANOS || isAlive();
  }

  /** Sends the server something, since what it has not sent yet shows nothing. */
  private boolean answers() {
    try {
      int before = connection.getNetworkTimeout();
      connection.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
      SetupQueryRunner.run(connection.getQueryExecutor(), "", false);
      connection.setNetworkTimeout(Runnable::run, before);
      used();
      return !isBroken();
    } catch (SQLException e) {
      Closing.quietly(connection);
      return false;
    }
  }

  /** Reads what the server has sent meanwhile, without waiting. */
  boolean isAlive() {
    try {
      connection.getQueryExecutor().processNotifies(); // which stay there for the application
      used();
      return !isBroken();
    } catch (SQLException e) {
      Closing.quietly(connection);
      return false;
    }
  }
}
