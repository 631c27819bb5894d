package io.gauss.compute.pgwire;

import io.gauss.compute.reference.ReferencePostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A database of the reference PostgreSQL for the tests of a class. */
final class PostgresDatabase implements WireServer, BeforeAllCallback {
  private String name;

  @Override
  public void beforeAll(ExtensionContext context) throws SQLException {
    name = ReferencePostgres.get().createDatabase();
  }

  @Override
  public int port() {
    return ReferencePostgres.get().port();
  }

  @Override
  public String database() {
    return name;
  }

  @Override
  public boolean isGauss() {
    return false;
  }

  @Override
  public int waiting() {
    try (Connection session = DriverManager.getConnection(ReferencePostgres.get().url(name));
        Statement statement = session.createStatement();
        ResultSet count =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                    + " AND datname = current_database()")) {
      count.next();
      return count.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
