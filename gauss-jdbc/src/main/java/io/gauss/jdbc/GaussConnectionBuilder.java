package io.gauss.jdbc;

import java.sql.Connection;
import java.sql.ConnectionBuilder;
import java.sql.SQLException;
import java.sql.ShardingKey;
import javax.sql.DataSource;

/** Builds a connection that is requested with more than a user. For one thread at a time. */
final class GaussConnectionBuilder implements ConnectionBuilder {
  private final DataSource source;
  private String user;
  private String password;
  private ShardingKey key;
  private ShardingKey superKey;

  GaussConnectionBuilder(DataSource source, String user, String password) {
    this.source = source;
    this.user = user;
    this.password = password;
  }

  @Override
  public ConnectionBuilder user(String name) {
    user = name;
    return this;
  }

  @Override
  public ConnectionBuilder password(String secret) {
    password = secret;
    return this;
  }

  @Override
  public ConnectionBuilder shardingKey(ShardingKey value) {
    key = value;
    return this;
  }

  @Override
  public ConnectionBuilder superShardingKey(ShardingKey value) {
    superKey = value;
    return this;
  }

  /**
   * @throws SQLException 0A000 for a super sharding key or one of another driver; and whatever
   *     connecting throws
   */
  @Override
  public Connection build() throws SQLException {
    if (superKey != null) {
      throw RouteHints.noSuperKey();
    }
    RouteHints.check(key);
    Connection made = source.getConnection(user, password);
    made.setShardingKey(key);
    return made;
  }
}
