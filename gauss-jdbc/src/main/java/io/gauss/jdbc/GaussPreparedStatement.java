package io.gauss.jdbc;

import io.gauss.jdbc.text.StatementText;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.StringJoiner;

/**
 * A logical prepared statement. Parameters are set on the physical statement that was used last, so
 * that mistakes are reported immediately, and recorded; if the transaction belongs to another node
 * they are set again there.
 */
class GaussPreparedStatement extends DelegatingPreparedStatement {
  private static final Binding[] NO_BINDINGS = {};

  private final StatementText text;
  private Binding[] bindings = NO_BINDINGS;
  private Object[] values = {};
  private int count;
  private long version;
  private Stream[] streams = {};
  private boolean hasStreams;
  private boolean bindsBatch;
  private List<Binding[]> batch;
  private Object[] firstOfBatch;

  /** State of a parameter that can be read only once. */
  private enum Stream {
    FRESH,
    SPENT
  }

  /** A value that can be read only once. */
  private record Late(Binding value) implements Binding {
    @Override
    public void set(PreparedStatement statement) throws SQLException {
      value.set(statement);
    }
  }

  GaussPreparedStatement(GaussConnection connection, Creation creation, String sql)
      throws SQLException {
    super(connection, creation);
    this.text = StatementText.of(sql);
  }

  @Override
  protected PreparedStatement delegate() {
    return (PreparedStatement) super.handle().statement;
  }

  // ---- parameters

  @Override
  final void bind(int index, Object value, Binding binding) throws SQLException {
    binding.set(delegate()); // fails for unsuitable values
    StatementHandle handle = handle();
    boolean isUpToDate = handle.parameters == version;
    note(index, value, binding);
    if (isUpToDate) {
      handle.parameters = version;
    }
  }

  @Override
  final void bindLate(int index, Object value, Binding binding) throws SQLException {
    checkOpen();
    if (index < 1) {
      binding.set(delegate()); // throws the error
    }
    note(index, value, new Late(binding));
    streams[index - 1] = Stream.FRESH;
    hasStreams = true;
  }

  private void note(int index, Object value, Binding binding) {
    if (index > bindings.length) {
      int length = Math.max(index, Math.max(8, 2 * bindings.length));
      bindings = Arrays.copyOf(bindings, length);
      values = Arrays.copyOf(values, length);
      streams = Arrays.copyOf(streams, length);
    }
    bindings[index - 1] = binding;
    values[index - 1] = value;
    streams[index - 1] = null;
    count = Math.max(count, index);
    version++;
  }

  @Override
  public final void clearParameters() throws SQLException {
    delegate().clearParameters();
    Arrays.fill(bindings, null);
    Arrays.fill(values, null);
    Arrays.fill(streams, null);
    count = 0;
    hasStreams = false;
    version++;
    handle().parameters = version;
  }

  @Override
  final void bindParameters(StatementHandle handle) throws SQLException {
    if (handle.parameters == version || bindsBatch) {
      return;
    }
    if (hasStreams && Arrays.asList(streams).contains(Stream.SPENT)) {
      throw new SQLException(
          "a stream that was given as a parameter has been read by an earlier execution; set it"
              + " again",
          "22023");
    }
    PreparedStatement statement = (PreparedStatement) handle.statement;
    statement.clearParameters();
    handle.settings = 0; // for a call, clearing also removes the registration of results
    set(statement, bindings);
    handle.parameters = version;
    spendStreams();
  }

  private void spendStreams() {
    if (hasStreams) {
      Arrays.asList(streams).replaceAll(stream -> stream == null ? null : Stream.SPENT);
    }
  }

  private void set(PreparedStatement statement, Binding[] all) throws SQLException {
    for (Binding binding : all) {
      if (binding != null) {
        binding.set(statement);
      }
    }
  }

  @Override
  final List<Object> parameters() {
    Object[] shown = firstOfBatch == null ? values : firstOfBatch;
    return Collections.unmodifiableList(
        Arrays.asList(shown).subList(0, Math.min(count, shown.length)));
  }

  @Override
  final boolean isRepeatable() {
    return !hasStreams;
  }

  // ---- for people

  /**
   * The text with its values, and of a batch all of them, as pgjdbc prints it. A stream that no
   * execution has read yet is not printed, since that would read it.
   */
  @Override
  public String toString() {
    StatementHandle handle = handle();
    PreparedStatement statement = (PreparedStatement) handle.statement;
    try {
      if (batch == null) {
        if (handle.parameters != version) {
          show(handle, bindings);
        }
        return statement.toString();
      }
      StringJoiner all = new StringJoiner(";\n");
      for (Binding[] set : batch) {
        show(handle, set);
        all.add(statement.toString());
      }
      return all.toString();
    } catch (SQLException e) {
      return text.sql(); // it is closed
    }
  }

  private void show(StatementHandle handle, Binding[] all) throws SQLException {
    PreparedStatement statement = (PreparedStatement) handle.statement;
    handle.parameters = -1; // they are set again before the next execution
    handle.settings = 0;
    statement.clearParameters();
    for (Binding binding : all) {
      if (binding != null && !(binding instanceof Late)) {
        binding.set(statement);
      }
    }
    applySettings(handle);
  }

  // ---- execution

  @Override
  public boolean execute() throws SQLException {
    return run(text, s -> ((PreparedStatement) s).execute());
  }

  @Override
  public ResultSet executeQuery() throws SQLException {
    return wrap(run(text, s -> ((PreparedStatement) s).executeQuery()));
  }

  @Override
  public int executeUpdate() throws SQLException {
    return run(text, s -> ((PreparedStatement) s).executeUpdate());
  }

  @Override
  public long executeLargeUpdate() throws SQLException {
    return run(text, s -> ((PreparedStatement) s).executeLargeUpdate());
  }

  // ---- batches

  @Override
  public void addBatch() throws SQLException {
    checkOpen();
    if (batch == null) {
      batch = new ArrayList<>();
      firstOfBatch = Arrays.copyOf(values, count);
    }
    batch.add(Arrays.copyOf(bindings, count));
  }

  /** As in pgjdbc: a prepared statement's batch only contains its own text. */
  @Override
  public void addBatch(String sql) throws SQLException {
    delegate().addBatch(sql); // refuses
  }

  @Override
  public void clearBatch() throws SQLException {
    super.clearBatch();
    batch = null;
    firstOfBatch = null;
  }

  @Override
  public int[] executeBatch() throws SQLException {
    return batch == null ? delegate().executeBatch() : runPreparedBatch(Statement::executeBatch);
  }

  @Override
  public long[] executeLargeBatch() throws SQLException {
    return batch == null
        ? delegate().executeLargeBatch()
        : runPreparedBatch(Statement::executeLargeBatch);
  }

  private <T> T runPreparedBatch(Execution<T> execution) throws SQLException {
    checkOpen();
    List<Binding[]> sets = batch;
    batch = null;
    bindsBatch = true;
    try {
      return connection()
          .run(
              this,
              StatementText.ofBatch(List.of(text)), // of which the first executions may stay
              statement -> {
                PreparedStatement prepared = (PreparedStatement) statement;
                handle().parameters = -1; // the batch overwrites the parameters
                prepared.clearBatch();
                for (Binding[] set : sets) {
                  prepared.clearParameters();
                  set(prepared, set);
                  prepared.addBatch();
                }
                spendStreams();
                return execution.on(prepared);
              },
              true);
    } finally {
      bindsBatch = false;
      firstOfBatch = null;
    }
  }
}
