package io.gauss.bench.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * A table and the rows that it has before a load runs.
 *
 * @param columns as in CREATE TABLE
 * @param rows before; the load may insert more
 * @param insert with a parameter for each value
 * @param values of the row with a number from 0 on, in the order of insertion
 * @param indexes made afterwards: CREATE INDEX with %s for the table's name
 */
record FilledTable(
    String name, String columns, int rows, String insert, Values values, List<String> indexes) {
  private static final int PART_ROWS = 20_000;
  private static final int BATCH = 500;

  /** The values of rows. */
  @FunctionalInterface
  interface Values {
    Object[] of(int row);
  }

  FilledTable(String name, String columns, int rows, int parameters, Values values) {
    this(name, columns, rows, parameters, values, List.of());
  }

  FilledTable(
      String name, String columns, int rows, int parameters, Values values, List<String> indexes) {
    this(
        name,
        columns,
        rows,
        "INSERT INTO " + name + " VALUES (?" + ", ?".repeat(parameters - 1) + ")",
        values,
        indexes);
  }

  void create(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS " + name);
      statement.execute("CREATE TABLE " + name + " (" + columns + ")");
    }
  }

  int parts() {
    return (rows + PART_ROWS - 1) / PART_ROWS;
  }

  void fill(Connection connection, int part) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(insert)) {
      int end = Math.min(rows, (part + 1) * PART_ROWS);
      for (int row = part * PART_ROWS; row < end; row++) {
        ClientStatements.bind(statement, values.of(row));
        statement.addBatch();
        if ((row + 1) % BATCH == 0 || row == end - 1) {
          statement.executeBatch();
          connection.commit();
        }
      }
    }
  }

  void finish(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String index : indexes) {
        statement.execute(index.formatted(name));
      }
      statement.execute("ANALYZE " + name);
    }
  }

  int count(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM " + name)) {
      row.next();
      return row.getInt(1);
    }
  }
}
