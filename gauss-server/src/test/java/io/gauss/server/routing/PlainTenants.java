package io.gauss.server.routing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SplittableRandom;

/** The transactions of {@link Tenants}, one after the other, by PostgreSQL's own driver. */
final class PlainTenants implements AutoCloseable {
  private final Connection connection;
  private final SplittableRandom random;

  PlainTenants(String url, long seed) throws SQLException {
    this.connection = DriverManager.getConnection(url);
    this.random = new SplittableRandom(seed);
    connection.setAutoCommit(false);
  }

  /**
   * Runs transactions.
   *
   * @throws SQLException when one of them fails
   */
  void run(int transactions) throws SQLException {
    for (int i = 0; i < transactions; i++) {
      transaction();
    }
  }

  private void transaction() throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(Tenants.FIRST);
        PreparedStatement select =
            connection.prepareStatement("SELECT v FROM account WHERE id = ?")) {
      int[] ids = Tenants.accounts(random);
      update.setInt(1, ids[0]);
      update.executeUpdate();
      select.setInt(1, ids[1]);
      try (ResultSet row = select.executeQuery()) {
        row.next();
      }
      update.setInt(1, ids[2]);
      update.executeUpdate();
      connection.commit();
    }
  }

  /** What all committed transactions have added to the accounts, two each. */
  long sum() throws SQLException {
    try (var statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT sum(v) FROM account")) {
      row.next();
      return row.getLong(1);
    } finally {
      connection.commit();
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
