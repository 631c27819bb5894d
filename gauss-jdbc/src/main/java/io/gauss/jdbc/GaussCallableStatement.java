package io.gauss.jdbc;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A callable statement whose text is shown to the routing policy before it runs. */
final class GaussCallableStatement extends DelegatingCallableStatement {
  private final GaussConnection connection;
  private final String sql;

  GaussCallableStatement(GaussConnection connection, CallableStatement delegate, String sql) {
    super(delegate);
    this.connection = connection;
    this.sql = sql;
  }

  @Override
  public Connection getConnection() throws SQLException {
    super.getConnection(); // fails when the statement is closed
    return connection;
  }

  @Override
  public boolean execute() throws SQLException {
    connection.beforeStatement(sql);
    return super.execute();
  }

  @Override
  public ResultSet executeQuery() throws SQLException {
    connection.beforeStatement(sql);
    return super.executeQuery();
  }

  @Override
  public int executeUpdate() throws SQLException {
    connection.beforeStatement(sql);
    return super.executeUpdate();
  }

  @Override
  public long executeLargeUpdate() throws SQLException {
    connection.beforeStatement(sql);
    return super.executeLargeUpdate();
  }

  @Override
  public int[] executeBatch() throws SQLException {
    connection.beforeStatement(sql);
    return super.executeBatch();
  }

  @Override
  public long[] executeLargeBatch() throws SQLException {
    connection.beforeStatement(sql);
    return super.executeLargeBatch();
  }
}
