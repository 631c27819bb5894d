package io.gauss.jdbc;

import io.gauss.jdbc.cluster.NodeConnection;
import io.gauss.jdbc.delegate.UpdatingResultSet;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A result set whose statement is the logical one. It stays with the physical connection that made
 * it, and so do the rows that are changed through it.
 */
final class GaussResultSet extends UpdatingResultSet {
  private final GaussStatement statement;
  private final NodeConnection on;

  GaussResultSet(GaussStatement statement, NodeConnection on, ResultSet delegate) {
    super(delegate);
    this.statement = statement;
    this.on = on;
    if (isUpdatable(delegate)) {
      on.keepFor(delegate);
    }
  }

  private static boolean isUpdatable(ResultSet results) {
    try {
      return results.getConcurrency() == ResultSet.CONCUR_UPDATABLE;
    } catch (SQLException e) {
      return false; // it is closed
    }
  }

  @Override
  public Statement getStatement() throws SQLException {
    delegate.getStatement(); // fails when it is closed
    return statement;
  }

  @Override
  protected ResultSet updating() throws SQLException {
    statement.connection().enter(on);
    return delegate;
  }

  @Override
  public void moveToInsertRow() throws SQLException {
    statement.connection().runOn(on, delegate::moveToInsertRow);
  }

  @Override
  public void insertRow() throws SQLException {
    statement.connection().runOn(on, delegate::insertRow);
  }

  @Override
  public void updateRow() throws SQLException {
    statement.connection().runOn(on, delegate::updateRow);
  }

  @Override
  public void deleteRow() throws SQLException {
    statement.connection().runOn(on, delegate::deleteRow);
  }

  @Override
  public void refreshRow() throws SQLException {
    statement.connection().runOn(on, delegate::refreshRow);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return type.isInstance(this) ? type.cast(this) : delegate.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || delegate.isWrapperFor(type);
  }
}
