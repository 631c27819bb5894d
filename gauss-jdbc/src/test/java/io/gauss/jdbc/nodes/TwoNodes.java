package io.gauss.jdbc.nodes;

import io.gauss.compute.reference.ReferencePostgres;
import io.gauss.jdbc.RoutedConnection;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * Two gates before one database of a real PostgreSQL, with a table {@code gauss.nodes} that says of
 * them what Gauss's view says of compute nodes. The driver's part of the work is the same, and a
 * table can be told what to say.
 */
final class TwoNodes implements AutoCloseable {
  final Gate first;
  final Gate second;
  private final String database;

  TwoNodes() throws IOException, SQLException {
    ReferencePostgres postgres = ReferencePostgres.get();
    database = postgres.createDatabase();
    first = new Gate(postgres.port());
    second = new Gate(postgres.port());
    try (Connection direct = direct();
        Statement statement = direct.createStatement()) {
      statement.execute("CREATE SCHEMA gauss");
      statement.execute(
          "CREATE TABLE gauss.nodes (id int, role text, host text, port int, pid bigint, state"
              + " text)");
      statement.execute(
          "INSERT INTO gauss.nodes VALUES (1, 'compute', '127.0.0.1', %d, NULL, 'UP'), (2,"
                  .formatted(first.port())
              + " 'compute', '127.0.0.1', %d, NULL, 'UP'), (101, 'memory', '127.0.0.1', 1, NULL,"
                  .formatted(second.port())
              + " 'UP')");
      statement.execute("CREATE TABLE public.t (id int PRIMARY KEY, v int)");
      statement.execute("INSERT INTO public.t SELECT i, 0 FROM generate_series(1, 20) i");
    }
  }

  /** Past the gates. */
  Connection direct() throws SQLException {
    return DriverManager.getConnection(ReferencePostgres.get().url(database));
  }

  void tell(String sql) throws SQLException {
    try (Connection direct = direct();
        Statement statement = direct.createStatement()) {
      statement.execute(sql);
    }
  }

  String url(String more) {
    return "jdbc:gauss://127.0.0.1:%d,127.0.0.1:%d/%s?user=gauss&%s"
        .formatted(first.port(), second.port(), database, more);
  }

  /** Names the first node only. */
  String urlOfFirst(String more) {
    return "jdbc:gauss://127.0.0.1:%d/%s?user=gauss&%s".formatted(first.port(), database, more);
  }

  Connection connect(String more) throws SQLException {
    return DriverManager.getConnection(url(more));
  }

  /** The number of the node that the connection is on. */
  static int node(Connection connection) throws SQLException {
    return connection.unwrap(RoutedConnection.class).node().number();
  }

  /** The process on the server that executes this connection's statements: one per node. */
  static int process(Connection connection, int node) throws SQLException {
    return Integer.parseInt(query(connection, onNode(node, "SELECT pg_backend_pid()")).get(0));
  }

  static String onNode(int node, String sql) {
    return "/*+ node(" + node + ") */ " + sql;
  }

  /** Rows as text, columns separated by a bar. */
  static List<String> query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows(rows);
    }
  }

  static List<String> rows(ResultSet rows) throws SQLException {
    List<String> result = new ArrayList<>();
    while (rows.next()) {
      StringJoiner row = new StringJoiner("|");
      for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
        row.add(String.valueOf(rows.getString(i)));
      }
      result.add(row.toString());
    }
    return result;
  }

  static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  @Override
  public void close() throws SQLException {
    first.close();
    second.close();
    ReferencePostgres.get().dropDatabase(database);
  }
}
