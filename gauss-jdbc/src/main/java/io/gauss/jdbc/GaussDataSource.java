package io.gauss.jdbc;

import io.gauss.jdbc.cluster.GaussUrl;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.ConnectionBuilder;
import java.sql.SQLException;
import java.sql.ShardingKeyBuilder;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A data source over {@link GaussDriver}. Configure it before the first connection; then it is
 * thread-safe.
 */
public final class GaussDataSource implements DataSource {
  private static final GaussDriver DRIVER = new GaussDriver();

  private String url;
  private String user;
  private String password;
  private final Properties properties = new Properties();
  private int loginTimeoutSeconds;
  private PrintWriter logWriter;

  public String getUrl() {
    return url;
  }

  public void setUrl(String url) {
    this.url = url;
  }

  public String getUser() {
    return user;
  }

  public void setUser(String user) {
    this.user = user;
  }

  public void setPassword(String password) {
    this.password = password;
  }

  /** Sets a connection property of this driver or of pgjdbc. */
  public void setProperty(String name, String value) {
    properties.setProperty(name, value);
  }

  @Override
  public Connection getConnection() throws SQLException {
    return getConnection(user, password);
  }

  @Override
  public Connection getConnection(String userName, String secret) throws SQLException {
    if (!GaussUrl.accepts(url)) {
      throw new SQLException("the URL must start with " + GaussUrl.PREFIX, "08001");
    }
    Properties all = new Properties();
    all.putAll(properties);
    if (userName != null) {
      all.setProperty("user", userName);
    }
    if (secret != null) {
      all.setProperty("password", secret);
    }
    if (loginTimeoutSeconds > 0) {
      all.setProperty("loginTimeout", Integer.toString(loginTimeoutSeconds));
    }
    return DRIVER.connect(url, all);
  }

  /**
   * Binds the driver's meters for all its connections in this process to a registry; see {@link
   * GaussDriverMetrics}.
   *
   * @param registry {@code io.micrometer.core.instrument.MeterRegistry}: declared as an object,
   *     since Micrometer may be absent
   * @throws IllegalArgumentException when it is something else
   */
  public void setMeterRegistry(Object registry) {
    Micrometer.bindTo(registry);
  }

  /** A builder of connections with their own user, password or sharding key. */
  @Override
  public ConnectionBuilder createConnectionBuilder() {
    return new GaussConnectionBuilder(this, user, password);
  }

  @Override
  public ShardingKeyBuilder createShardingKeyBuilder() {
    return new GaussShardingKey.Builder();
  }

  @Override
  public PrintWriter getLogWriter() {
    return logWriter;
  }

  @Override
  public void setLogWriter(PrintWriter out) {
    logWriter = out;
  }

  @Override
  public void setLoginTimeout(int seconds) {
    loginTimeoutSeconds = seconds;
  }

  @Override
  public int getLoginTimeout() {
    return loginTimeoutSeconds;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getLogger("io.gauss.jdbc");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new SQLException("not a wrapper for " + type.getName());
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return type.isInstance(this);
  }
}
