package io.gauss.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * JDBC driver for {@code jdbc:gauss://host:port[,host:port]/database}. It wraps pgjdbc, whose
 * properties all pass through, and adds topology and routing. Thread-safe.
 *
 * <p>At connect the nodes are tried in the order of the URL; the first that answers is used. An
 * error that another node would answer too (a wrong password, an unknown database) is not tried
 * elsewhere.
 */
public final class GaussDriver implements Driver {
  private static final Logger LOG = Logger.getLogger("io.gauss.jdbc");
  private static final GaussDriver INSTANCE = new GaussDriver();

  static {
    try {
      DriverManager.registerDriver(INSTANCE);
    } catch (SQLException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Driver pgjdbc = new org.postgresql.Driver();

  @Override
  public boolean acceptsURL(String url) {
    return GaussUrl.accepts(url);
  }

  @Override
  public Connection connect(String url, Properties properties) throws SQLException {
    if (!acceptsURL(url)) {
      return null;
    }
    GaussUrl parsed = GaussUrl.parse(url);
    SQLException failure = null;
    for (GaussUrl.Node node : parsed.nodes()) {
      try {
        Connection physical = pgjdbc.connect(parsed.pgjdbcUrl(node), properties);
        return new GaussConnection(physical, node, parsed.nodes(), RoutingPolicy.STAY);
      } catch (SQLException e) {
        if (!isWorthAnotherNode(e)) {
          throw e;
        }
        LOG.log(Level.FINE, "no connection to " + node, e);
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    throw failure;
  }

  /**
   * Connection failures, a node that starts or shuts down, and one that has no room: another node
   * may do better.
   */
  private static boolean isWorthAnotherNode(SQLException e) {
    String state = e.getSQLState();
    return state != null
        && (state.startsWith("08") || state.startsWith("57P") || state.equals("53300"));
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties)
      throws SQLException {
    GaussUrl parsed = GaussUrl.parse(url);
    return pgjdbc.getPropertyInfo(parsed.pgjdbcUrl(parsed.nodes().get(0)), properties);
  }

  @Override
  public int getMajorVersion() {
    return 0;
  }

  @Override
  public int getMinorVersion() {
    return 1;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return LOG;
  }
}
