package io.gauss.jdbc;

import io.gauss.jdbc.cluster.Cluster;
import io.gauss.jdbc.cluster.Clusters;
import io.gauss.jdbc.cluster.NodeConnection;
import io.gauss.jdbc.delegate.DelegatingConnection;
import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.RouterReport;
import io.gauss.jdbc.routing.Topology;
import io.gauss.jdbc.text.StatementText;
import java.sql.CallableStatement;
import java.sql.ClientInfoStatus;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.ShardingKey;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A logical connection. JDBC's methods are here; {@link NodeSession} decides to which physical
 * connection a statement goes, and handles broken ones.
 *
 * <p>As thread-safe as pgjdbc's connections: threads that share one wait for each other, from the
 * choice of a node to the answer; {@code cancel}, {@code abort}, {@code close} and {@code unwrap}
 * wait for nobody.
 */
final class GaussConnection extends DelegatingConnection implements RoutedConnection {
  private final Cluster cluster;
  private final NodeSession session;
  private final String url;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ReentrantLock turn = new ReentrantLock(); // to use the session
  private final Queue<String> newPins = new ConcurrentLinkedQueue<>(); // of any thread

  GaussConnection(Cluster cluster, NodeConnection first, String url) {
    this.cluster = cluster;
    this.url = url;
    this.session = new NodeSession(cluster, first);
  }

  /** How a physical connection ends. */
  @FunctionalInterface
  private interface Ending {
    void of(Connection physical) throws SQLException;
  }

  /** Work with the session. */
  @FunctionalInterface
  private interface Call<T> {
    T made() throws SQLException;
  }

  private <T> T inTurn(Call<T> call) throws SQLException {
    checkOpen();
    begin();
    try {
      checkOpen(); // another thread may have ended it meanwhile
      return call.made();
    } finally {
      turn.unlock();
    }
  }

  /** Waits for the turn. */
  private void begin() {
    turn.lock();
    takePins();
  }

  private void takePins() {
    for (String reason = newPins.poll(); reason != null; reason = newPins.poll()) {
      session.pin(reason);
    }
  }

  private void doInTurn(NodeSession.Work work) throws SQLException {
    inTurn(
        () -> {
          work.run();
          return null;
        });
  }

  /** Executes a statement on the node to which it belongs. */
  <T> T run(
      GaussStatement statement,
      StatementText text,
      GaussStatement.Execution<T> execution,
      boolean isBatch)
      throws SQLException {
    return inTurn(() -> session.run(statement, text, execution, isBatch));
  }

  /** Runs work on a physical connection that has opened an object before. */
  void runOn(NodeConnection node, NodeSession.Work work) throws SQLException {
    doInTurn(() -> session.runOn(node, work));
  }

  /** Makes the current one a physical connection that has opened an object before. */
  void enter(NodeConnection node) throws SQLException {
    doInTurn(() -> session.enter(node));
  }

  /**
   * The physical connection for calls other than statements. They do not wait while another thread
   * runs a statement: what it runs on is as good as any.
   */
  NodeConnection here() throws SQLException {
    checkOpen();
    if (!turn.tryLock()) {
      NodeConnection inUse = session.current();
      if (!inUse.isBroken()) {
        return inUse;
      }
      turn.lock();
    }
    try {
      checkOpen();
      takePins();
      return session.here();
    } finally {
      turn.unlock();
    }
  }

  /** The physical connection that was used last. */
  NodeConnection current() {
    return session.current();
  }

  /** A request that may execute a statement, which does not determine the transaction's node. */
  <T> T ask(NodeSession.Question<T> question) throws SQLException {
    return inTurn(() -> session.ask(question));
  }

  /** The URL that was asked for, with its parameters, as pgjdbc gives it. */
  String url() {
    return url;
  }

  @Override
  protected Connection delegate() throws SQLException {
    return here().connection();
  }

  /** Waits for nobody: whoever unwraps the connection may do so to cancel what runs on it. */
  void pin(String reason) {
    newPins.add(reason);
    if (turn.tryLock()) {
      try {
        takePins();
      } finally {
        turn.unlock();
      }
    }
  }

  private void unchecked(Runnable change) {
    begin();
    try {
      change.run();
    } finally {
      turn.unlock();
    }
  }

  private void checkOpen() throws SQLException {
    if (closed.get()) {
      throw new SQLException("This connection has been closed.", "08003");
    }
  }

  // ---- what it tells

  @Override
  public ClusterNode node() {
    return session.node();
  }

  @Override
  public Decision lastDecision() {
    return session.lastRoute().decision();
  }

  @Override
  public RouterReport routerReport() {
    return cluster.statistics().router();
  }

  @Override
  public String lastRoute() {
    return session.lastRoute().explain(cluster, session.node(), session.pinnedBy());
  }

  @Override
  public Topology topology() {
    return cluster.topology();
  }

  @Override
  public String pinnedBy() {
    return session.pinnedBy();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    T found = super.unwrap(type);
    pin("the connection was unwrapped");
    return found;
  }

  // ---- life

  @Override
  public void close() throws SQLException {
    if (closed.compareAndSet(false, true)) {
      end(Connection::close);
    }
  }

  /** Ends the session; only one thread gets here. */
  private void end(Ending ending) throws SQLException {
    SQLException failure = null;
    for (Connection physical : session.end()) {
      try {
        ending.of(physical);
      } catch (SQLException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (session.isCounted()) {
      Clusters.release(cluster);
    }
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public boolean isClosed() {
    return closed.get();
  }

  @Override
  public void abort(Executor executor) throws SQLException {
    if (closed.compareAndSet(false, true)) {
      end(physical -> physical.abort(executor));
    }
  }

  @Override
  public boolean isValid(int seconds) throws SQLException {
    if (closed.get()) {
      return false;
    }
    begin();
    try {
      return session.isValid(seconds);
    } finally {
      turn.unlock();
    }
  }

  /** The user of a pooled connection is done: state whose end the driver cannot see ends here. */
  @Override
  public void endRequest() throws SQLException {
    unchecked(session::requestEnded);
  }

  /** Pools do that, too, when a connection comes back, and most of them no more. */
  @Override
  public void clearWarnings() throws SQLException {
    super.clearWarnings();
    unchecked(session::warningsCleared);
  }

  // ---- transactions

  @Override
  public boolean getAutoCommit() throws SQLException {
    checkOpen();
    return session.isAutoCommit();
  }

  @Override
  public void setAutoCommit(boolean on) throws SQLException {
    doInTurn(() -> session.setAutoCommit(on));
  }

  @Override
  public void commit() throws SQLException {
    doInTurn(session::commit);
  }

  @Override
  public void rollback() throws SQLException {
    doInTurn(session::rollback);
  }

  @Override
  public void rollback(Savepoint savepoint) throws SQLException {
    doInTurn(() -> session.rollbackTo(savepoint));
  }

  @Override
  public Savepoint setSavepoint() throws SQLException {
    return inTurn(() -> session.savepoint(Connection::setSavepoint));
  }

  @Override
  public Savepoint setSavepoint(String name) throws SQLException {
    return inTurn(() -> session.savepoint(connection -> connection.setSavepoint(name)));
  }

  @Override
  public void releaseSavepoint(Savepoint savepoint) throws SQLException {
    doInTurn(() -> session.release(savepoint));
  }

  // ---- settings

  private void set(String name, SessionSettings.Setting setting) throws SQLException {
    doInTurn(() -> session.set(name, setting));
  }

  @Override
  public void setReadOnly(boolean on) throws SQLException {
    set("read only", connection -> connection.setReadOnly(on));
  }

  @Override
  public void setTransactionIsolation(int level) throws SQLException {
    set("isolation", connection -> connection.setTransactionIsolation(level));
  }

  @Override
  public void setHoldability(int holdability) throws SQLException {
    set("holdability", connection -> connection.setHoldability(holdability));
  }

  @Override
  public void setTypeMap(Map<String, Class<?>> map) throws SQLException {
    set("type map", connection -> connection.setTypeMap(map));
  }

  @Override
  public void setNetworkTimeout(Executor executor, int millis) throws SQLException {
    set("network timeout", connection -> connection.setNetworkTimeout(executor, millis));
  }

  /**
   * Runs a statement, since the setting is undone when the transaction is rolled back, like any
   * other SET.
   */
  @Override
  public void setSchema(String schema) throws SQLException {
    checkOpen();
    String path = schema == null ? "DEFAULT" : enquote(schema);
    try (Statement statement = createStatement()) {
      statement.execute("SET SESSION search_path TO " + path);
    }
  }

  private static String enquote(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  @Override
  public String getSchema() throws SQLException {
    return ask(Connection::getSchema);
  }

  @Override
  public int getTransactionIsolation() throws SQLException {
    return ask(Connection::getTransactionIsolation);
  }

  @Override
  public DatabaseMetaData getMetaData() throws SQLException {
    return RoutedMetaData.of(this);
  }

  // ---- client info and sharding keys

  @Override
  public void setClientInfo(String name, String value) throws SQLClientInfoException {
    if (RouteHints.CLIENT_INFO.equals(name)) {
      if (!session.hints().setNode(value)) {
        throw new SQLClientInfoException(
            "gauss.node=" + value + " is not the number of a node",
            "22023",
            Map.of(name, ClientInfoStatus.REASON_VALUE_INVALID));
      }
      return;
    }
    try {
      set("client info " + name, connection -> connection.setClientInfo(name, value));
    } catch (SQLClientInfoException e) {
      throw e;
    } catch (SQLException e) {
      throw new SQLClientInfoException(
          e.getMessage(), e.getSQLState(), Map.of(name, ClientInfoStatus.REASON_UNKNOWN), e);
    }
  }

  @Override
  public void setClientInfo(Properties properties) throws SQLClientInfoException {
    Properties others = new Properties();
    for (String name : properties.stringPropertyNames()) {
      if (!RouteHints.CLIENT_INFO.equals(name)) {
        others.setProperty(name, properties.getProperty(name));
      }
    }
    setClientInfo(RouteHints.CLIENT_INFO, properties.getProperty(RouteHints.CLIENT_INFO));
    try {
      set("client info", connection -> connection.setClientInfo(others));
    } catch (SQLClientInfoException e) {
      throw e;
    } catch (SQLException e) {
      throw new SQLClientInfoException(e.getMessage(), e.getSQLState(), Map.of(), e);
    }
  }

  @Override
  public String getClientInfo(String name) throws SQLException {
    checkOpen();
    return RouteHints.CLIENT_INFO.equals(name) ? session.hints().node() : super.getClientInfo(name);
  }

  @Override
  public Properties getClientInfo() throws SQLException {
    Properties all = new Properties();
    all.putAll(super.getClientInfo());
    if (session.hints().node() != null) {
      all.setProperty(RouteHints.CLIENT_INFO, session.hints().node());
    }
    return all;
  }

  @Override
  public void setShardingKey(ShardingKey key) throws SQLException {
    checkOpen();
    session.hints().setKey(key);
  }

  @Override
  public boolean setShardingKeyIfValid(ShardingKey key, int seconds) throws SQLException {
    setShardingKey(key);
    return true;
  }

  @Override
  public void setShardingKey(ShardingKey key, ShardingKey superKey) throws SQLException {
    if (superKey != null) {
      throw RouteHints.noSuperKey();
    }
    setShardingKey(key);
  }

  @Override
  public boolean setShardingKeyIfValid(ShardingKey key, ShardingKey superKey, int seconds)
      throws SQLException {
    setShardingKey(key, superKey);
    return true;
  }

  // ---- statements

  @Override
  public Statement createStatement() throws SQLException {
    return new GaussStatement(this, Connection::createStatement);
  }

  @Override
  public Statement createStatement(int type, int concurrency) throws SQLException {
    return new GaussStatement(this, c -> c.createStatement(type, concurrency));
  }

  @Override
  public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
    return new GaussStatement(this, c -> c.createStatement(type, concurrency, holdability));
  }

  @Override
  public PreparedStatement prepareStatement(String sql) throws SQLException {
    return new GaussPreparedStatement(this, c -> c.prepareStatement(sql), sql);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int keys) throws SQLException {
    return new GaussPreparedStatement(this, c -> c.prepareStatement(sql, keys), sql);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int[] columns) throws SQLException {
    return new GaussPreparedStatement(this, c -> c.prepareStatement(sql, columns), sql);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, String[] columns) throws SQLException {
    return new GaussPreparedStatement(this, c -> c.prepareStatement(sql, columns), sql);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int type, int concurrency)
      throws SQLException {
    return new GaussPreparedStatement(this, c -> c.prepareStatement(sql, type, concurrency), sql);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
      throws SQLException {
    return new GaussPreparedStatement(
        this, c -> c.prepareStatement(sql, type, concurrency, holdability), sql);
  }

  @Override
  public CallableStatement prepareCall(String sql) throws SQLException {
    return new GaussCallableStatement(this, c -> c.prepareCall(sql), sql);
  }

  @Override
  public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
    return new GaussCallableStatement(this, c -> c.prepareCall(sql, type, concurrency), sql);
  }

  @Override
  public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability)
      throws SQLException {
    return new GaussCallableStatement(
        this, c -> c.prepareCall(sql, type, concurrency, holdability), sql);
  }
}
