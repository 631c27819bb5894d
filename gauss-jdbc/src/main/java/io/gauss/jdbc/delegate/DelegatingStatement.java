package io.gauss.jdbc.delegate;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;

/** A statement that delegates every call. */
public abstract class DelegatingStatement implements Statement {
  /** The physical statement that currently receives the calls. */
  protected abstract Statement delegate();

  @Override
  public void cancel() throws SQLException {
    delegate().cancel();
  }

  @Override
  public void clearBatch() throws SQLException {
    delegate().clearBatch();
  }

  @Override
  public void clearWarnings() throws SQLException {
    delegate().clearWarnings();
  }

  @Override
  public String enquoteIdentifier(String text, boolean on) throws SQLException {
    return delegate().enquoteIdentifier(text, on);
  }

  @Override
  public String enquoteLiteral(String text) throws SQLException {
    return delegate().enquoteLiteral(text);
  }

  @Override
  public String enquoteNCharLiteral(String text) throws SQLException {
    return delegate().enquoteNCharLiteral(text);
  }

  @Override
  public int[] executeBatch() throws SQLException {
    return delegate().executeBatch();
  }

  @Override
  public long[] executeLargeBatch() throws SQLException {
    return delegate().executeLargeBatch();
  }

  @Override
  public Connection getConnection() throws SQLException {
    return delegate().getConnection();
  }

  @Override
  public int getFetchDirection() throws SQLException {
    return delegate().getFetchDirection();
  }

  @Override
  public int getFetchSize() throws SQLException {
    return delegate().getFetchSize();
  }

  @Override
  public ResultSet getGeneratedKeys() throws SQLException {
    return delegate().getGeneratedKeys();
  }

  @Override
  public long getLargeMaxRows() throws SQLException {
    return delegate().getLargeMaxRows();
  }

  @Override
  public long getLargeUpdateCount() throws SQLException {
    return delegate().getLargeUpdateCount();
  }

  @Override
  public int getMaxFieldSize() throws SQLException {
    return delegate().getMaxFieldSize();
  }

  @Override
  public int getMaxRows() throws SQLException {
    return delegate().getMaxRows();
  }

  @Override
  public boolean getMoreResults() throws SQLException {
    return delegate().getMoreResults();
  }

  @Override
  public boolean getMoreResults(int index) throws SQLException {
    return delegate().getMoreResults(index);
  }

  @Override
  public int getQueryTimeout() throws SQLException {
    return delegate().getQueryTimeout();
  }

  @Override
  public ResultSet getResultSet() throws SQLException {
    return delegate().getResultSet();
  }

  @Override
  public int getResultSetConcurrency() throws SQLException {
    return delegate().getResultSetConcurrency();
  }

  @Override
  public int getResultSetHoldability() throws SQLException {
    return delegate().getResultSetHoldability();
  }

  @Override
  public int getResultSetType() throws SQLException {
    return delegate().getResultSetType();
  }

  @Override
  public int getUpdateCount() throws SQLException {
    return delegate().getUpdateCount();
  }

  @Override
  public SQLWarning getWarnings() throws SQLException {
    return delegate().getWarnings();
  }

  @Override
  public boolean isCloseOnCompletion() throws SQLException {
    return delegate().isCloseOnCompletion();
  }

  @Override
  public boolean isPoolable() throws SQLException {
    return delegate().isPoolable();
  }

  @Override
  public boolean isSimpleIdentifier(String text) throws SQLException {
    return delegate().isSimpleIdentifier(text);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return type.isInstance(this) ? type.cast(this) : delegate().unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || delegate().isWrapperFor(type);
  }
}
