package io.gauss.bench.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** A client's statements, prepared when they are first used. For one thread. */
final class ClientStatements {
  private final Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  ClientStatements(Connection connection) {
    this.connection = connection;
  }

  /** Sets parameters: int, long, double or text. */
  static void bind(PreparedStatement statement, Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      switch (values[i]) {
        case Integer number -> statement.setInt(i + 1, number);
        case Long number -> statement.setLong(i + 1, number);
        case Double number -> statement.setDouble(i + 1, number);
        default -> statement.setString(i + 1, values[i].toString());
      }
    }
  }

  private PreparedStatement bound(String sql, Object... values) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    bind(statement, values);
    return statement;
  }

  /**
   * Reads all rows.
   *
   * @return the first column of the first one; 0 when there is none or it is no number
   */
  long read(String sql, Object... values) throws SQLException {
    try (ResultSet rows = bound(sql, values).executeQuery()) {
      long first =
          rows.next() && rows.getObject(1) instanceof Number number ? number.longValue() : 0;
      while (rows.next()) {
        // Clients read what they ask for.
      }
      return first;
    }
  }

  void update(String sql, Object... values) throws SQLException {
    bound(sql, values).executeUpdate();
  }
}
