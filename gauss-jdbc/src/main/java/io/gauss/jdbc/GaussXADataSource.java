package io.gauss.jdbc;

import java.io.PrintWriter;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.XAConnection;
import javax.sql.XADataSource;

/**
 * Reports that there are no distributed transactions: Gauss has no two-phase commit. For containers
 * that are configured with a class name, so that they get a reason instead of a
 * ClassNotFoundException.
 */
public final class GaussXADataSource implements XADataSource {
  private static SQLException refusal() {
    return new SQLFeatureNotSupportedException(
        "XADataSource is not supported: Gauss has no two-phase commit; use GaussDataSource",
        "0A000");
  }

  @Override
  public XAConnection getXAConnection() throws SQLException {
    throw refusal();
  }

  @Override
  public XAConnection getXAConnection(String user, String password) throws SQLException {
    throw refusal();
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    throw refusal();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    throw refusal();
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    throw refusal();
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    throw refusal();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return Logger.getLogger("io.gauss.jdbc");
  }
}
