package io.gauss.jdbc;

import io.gauss.jdbc.cluster.Closing;
import io.gauss.jdbc.cluster.Cluster;
import io.gauss.jdbc.cluster.ClusterOptions;
import io.gauss.jdbc.cluster.Clusters;
import io.gauss.jdbc.cluster.GaussUrl;
import io.gauss.jdbc.cluster.NodeConnection;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.logging.Logger;

/**
 * JDBC driver for {@code jdbc:gauss://host:port[,host:port]/database}. It wraps pgjdbc, whose
 * properties all pass through, and adds topology and routing. Thread-safe.
 *
 * <p>At connect the nodes are tried in the order of the URL; the first that answers is used. After
 * an error that other nodes would also return (a wrong password, an unknown database) no other node
 * is tried.
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
    Properties given = properties == null ? new Properties() : properties;
    Cluster cluster = Clusters.acquire(GaussUrl.parse(url), given);
    NodeConnection first = null;
    try {
      if (cluster.options().bindsMeters()) {
        bindMeters();
      }
      first = cluster.connectFirst();
      cluster.discover(first);
      return new GaussConnection(cluster, first, url);
    } catch (SQLException | RuntimeException e) {
      if (first != null) {
        Closing.quietly(first.connection());
      }
      Clusters.release(cluster);
      throw e;
    }
  }

  private static void bindMeters() throws SQLException {
    try {
      Micrometer.bindToGlobalRegistry();
    } catch (IllegalArgumentException e) {
      throw new SQLException(e.getMessage(), "22023", e);
    }
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties)
      throws SQLException {
    GaussUrl parsed = GaussUrl.parse(url);
    ClusterOptions options =
        ClusterOptions.of(parsed, properties == null ? new Properties() : properties);
    List<DriverPropertyInfo> all = new ArrayList<>(options.describe());
    all.addAll(
        List.of(pgjdbc.getPropertyInfo(parsed.pgjdbcUrl(parsed.nodes().get(0)), options.pgjdbc())));
    return all.toArray(DriverPropertyInfo[]::new);
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
