package io.gauss.jdbc;

import io.gauss.jdbc.cluster.NodeConnection;
import io.gauss.jdbc.delegate.DelegatingStatement;
import io.gauss.jdbc.text.StatementText;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A logical statement. It has a physical one on each node where it has run; the connection decides
 * which of them runs when it is executed. Its settings are made on the physical statement that was
 * used last, so that mistakes are reported immediately, and recorded for the others.
 *
 * <p>For one thread at a time, except for {@link #cancel}.
 */
class GaussStatement extends DelegatingStatement {
  private static final Logger LOG = Logger.getLogger("io.gauss.jdbc");

  private final GaussConnection connection;
  private final Creation creation;
  private final List<Setting> settings = new ArrayList<>(2);
  private final List<StatementHandle> handles = new ArrayList<>(2);
  private volatile StatementHandle current;
  private List<StatementText> batch;
  private ResultSet lastPhysicalResult;
  private ResultSet lastResult;
  private boolean closed;
  private int timeoutSeconds;

  /** Makes a setting for all executions. */
  @FunctionalInterface
  interface Setting {
    void on(Statement statement) throws SQLException;
  }

  /** Executes. */
  @FunctionalInterface
  interface Execution<T> {
    T on(Statement statement) throws SQLException;
  }

  GaussStatement(GaussConnection connection, Creation creation) throws SQLException {
    this.connection = connection;
    this.creation = creation;
    makeOn(connection.here());
  }

  /** For a statement that already exists and stays on its node, such as those of metadata. */
  GaussStatement(GaussConnection connection, NodeConnection on, Statement statement) {
    this.connection = connection;
    this.creation =
        physical -> {
          throw new SQLException("the statement belongs to one node", "55000");
        };
    this.current = new StatementHandle(on, statement);
    handles.add(current);
  }

  final GaussConnection connection() {
    return connection;
  }

  final StatementHandle handle() {
    return current;
  }

  @Override
  protected Statement delegate() {
    return current.statement;
  }

  private StatementHandle makeOn(NodeConnection node) throws SQLException {
    handles.removeIf(handle -> handle.on.isBroken() || isClosed(handle));
    StatementHandle made = new StatementHandle(node, creation.on(node.connection()));
    handles.add(made);
    current = made;
    return made;
  }

  private static boolean isClosed(StatementHandle handle) {
    try {
      return handle.statement.isClosed();
    } catch (SQLException e) {
      return true;
    }
  }

  /** The physical statement on that node, with all settings. Called by the connection. */
  final Statement bindTo(NodeConnection node) throws SQLException {
    StatementHandle handle = current;
    if (handle.on != node) {
      handle = null;
      for (StatementHandle known : handles) {
        if (known.on == node && !isClosed(known)) {
          handle = known;
        }
      }
      leave(current);
      if (handle == null) {
        handle = makeOn(node);
      }
      current = handle;
    }
    bindParameters(handle);
    applySettings(handle);
    return handle.statement;
  }

  final void applySettings(StatementHandle handle) throws SQLException {
    while (handle.settings < settings.size()) {
      settings.get(handle.settings).on(handle.statement);
      handle.settings++;
    }
  }

  /** As executing a statement again does with the results of the last time. */
  private void leave(StatementHandle handle) {
    lastResult = null;
    lastPhysicalResult = null;
    try {
      boolean isMore = !handle.on.isBroken() && !handle.statement.isClosed();
      while (isMore) {
        isMore =
            handle.statement.getMoreResults(Statement.CLOSE_ALL_RESULTS)
                || !handle.statement.isClosed() && handle.statement.getUpdateCount() >= 0;
      }
    } catch (SQLException e) {
      LOG.log(Level.FINE, "results on " + handle.on.node() + " could not be closed", e);
    }
  }

  /** Sets the parameters of a statement that has some. */
  void bindParameters(StatementHandle handle) throws SQLException {}

  /** Values for routing. */
  List<Object> parameters() {
    return List.of();
  }

  /** Whether it can be executed again with the same parameters. */
  boolean isRepeatable() {
    return true;
  }

  final void note(Setting setting) throws SQLException {
    StatementHandle handle = current;
    setting.on(handle.statement);
    if (handle.settings == settings.size()) {
      handle.settings++;
    }
    settings.add(setting);
  }

  final <T> T run(StatementText text, Execution<T> execution) throws SQLException {
    checkOpen();
    return connection.run(this, text, execution, false);
  }

  private <T> T run(String sql, Execution<T> execution) throws SQLException {
    return run(StatementText.of(sql), execution);
  }

  final void checkOpen() throws SQLException {
    if (isClosed()) {
      throw new SQLException("This statement has been closed.", "55000");
    }
  }

  // ---- results

  final ResultSet wrap(ResultSet physical) {
    if (physical == null) {
      return null;
    }
    if (physical != lastPhysicalResult) {
      lastPhysicalResult = physical;
      lastResult = new GaussResultSet(this, current.on, physical);
    }
    return lastResult;
  }

  @Override
  public ResultSet getResultSet() throws SQLException {
    return wrap(super.getResultSet());
  }

  @Override
  public ResultSet getGeneratedKeys() throws SQLException {
    ResultSet keys = super.getGeneratedKeys();
    return keys == null ? null : new GaussResultSet(this, current.on, keys);
  }

  @Override
  public Connection getConnection() throws SQLException {
    super.getConnection(); // fails when the statement is closed
    return connection;
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    T found = super.unwrap(type);
    connection.pin("a statement was unwrapped");
    return found;
  }

  // ---- end

  @Override
  public void close() throws SQLException {
    closed = true;
    lastResult = null;
    lastPhysicalResult = null;
    SQLException failure = null;
    for (StatementHandle handle : handles) {
      try {
        handle.statement.close();
      } catch (SQLException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Also closed by the end of its last result, when that was requested. */
  @Override
  public boolean isClosed() throws SQLException {
    return closed || current.statement.isClosed();
  }

  // ---- what is set

  @Override
  public void closeOnCompletion() throws SQLException {
    note(Statement::closeOnCompletion);
  }

  @Override
  public void setCursorName(String name) throws SQLException {
    note(s -> s.setCursorName(name));
  }

  @Override
  public void setEscapeProcessing(boolean on) throws SQLException {
    note(s -> s.setEscapeProcessing(on));
  }

  @Override
  public void setFetchDirection(int direction) throws SQLException {
    note(s -> s.setFetchDirection(direction));
  }

  @Override
  public void setFetchSize(int rows) throws SQLException {
    note(s -> s.setFetchSize(rows));
  }

  @Override
  public void setLargeMaxRows(long rows) throws SQLException {
    note(s -> s.setLargeMaxRows(rows));
  }

  @Override
  public void setMaxFieldSize(int bytes) throws SQLException {
    note(s -> s.setMaxFieldSize(bytes));
  }

  @Override
  public void setMaxRows(int rows) throws SQLException {
    note(s -> s.setMaxRows(rows));
  }

  @Override
  public void setPoolable(boolean on) throws SQLException {
    note(s -> s.setPoolable(on));
  }

  @Override
  public void setQueryTimeout(int seconds) throws SQLException {
    note(s -> s.setQueryTimeout(seconds));
    timeoutSeconds = seconds;
  }

  /** Also bounds connecting to another node; 0 = no bound. */
  final int timeoutSeconds() {
    return timeoutSeconds;
  }

  // ---- execution

  @Override
  public boolean execute(String sql) throws SQLException {
    return run(sql, s -> s.execute(sql));
  }

  @Override
  public boolean execute(String sql, int autoGeneratedKeys) throws SQLException {
    return run(sql, s -> s.execute(sql, autoGeneratedKeys));
  }

  @Override
  public boolean execute(String sql, int[] columnIndexes) throws SQLException {
    return run(sql, s -> s.execute(sql, columnIndexes));
  }

  @Override
  public boolean execute(String sql, String[] columnNames) throws SQLException {
    return run(sql, s -> s.execute(sql, columnNames));
  }

  @Override
  public ResultSet executeQuery(String sql) throws SQLException {
    return wrap(run(sql, s -> s.executeQuery(sql)));
  }

  @Override
  public int executeUpdate(String sql) throws SQLException {
    return run(sql, s -> s.executeUpdate(sql));
  }

  @Override
  public int executeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
    return run(sql, s -> s.executeUpdate(sql, autoGeneratedKeys));
  }

  @Override
  public int executeUpdate(String sql, int[] columnIndexes) throws SQLException {
    return run(sql, s -> s.executeUpdate(sql, columnIndexes));
  }

  @Override
  public int executeUpdate(String sql, String[] columnNames) throws SQLException {
    return run(sql, s -> s.executeUpdate(sql, columnNames));
  }

  @Override
  public long executeLargeUpdate(String sql) throws SQLException {
    return run(sql, s -> s.executeLargeUpdate(sql));
  }

  @Override
  public long executeLargeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
    return run(sql, s -> s.executeLargeUpdate(sql, autoGeneratedKeys));
  }

  @Override
  public long executeLargeUpdate(String sql, int[] columnIndexes) throws SQLException {
    return run(sql, s -> s.executeLargeUpdate(sql, columnIndexes));
  }

  @Override
  public long executeLargeUpdate(String sql, String[] columnNames) throws SQLException {
    return run(sql, s -> s.executeLargeUpdate(sql, columnNames));
  }

  // ---- batches: noted, and given to the physical statement when they are executed

  @Override
  public void addBatch(String sql) throws SQLException {
    checkOpen();
    refuseAsPgjdbc(sql);
    if (batch == null) {
      batch = new ArrayList<>();
    }
    batch.add(StatementText.of(sql));
  }

  /** Mistakes are reported here, and not when the batch is executed: several statements, say. */
  private void refuseAsPgjdbc(String sql) throws SQLException {
    StatementHandle handle = current;
    if (!handle.on.isBroken()) {
      handle.statement.addBatch(sql);
      handle.statement.clearBatch();
    }
  }

  @Override
  public void clearBatch() throws SQLException {
    super.clearBatch();
    batch = null;
  }

  @Override
  public int[] executeBatch() throws SQLException {
    return batch == null ? super.executeBatch() : runBatch(Statement::executeBatch);
  }

  @Override
  public long[] executeLargeBatch() throws SQLException {
    return batch == null ? super.executeLargeBatch() : runBatch(Statement::executeLargeBatch);
  }

  private <T> T runBatch(Execution<T> execution) throws SQLException {
    checkOpen();
    List<StatementText> texts = batch;
    batch = null;
    return connection.run(
        this,
        StatementText.ofBatch(texts),
        statement -> {
          for (StatementText text : texts) {
            statement.addBatch(text.sql());
          }
          return execution.on(statement);
        },
        true);
  }
}
