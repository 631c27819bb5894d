package io.gauss.compute.node;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Asks a server everything that JDBC's metadata has, through whatever driver made the connection,
 * and writes the answers down as text. Columns that name the database or count pages are left out.
 */
final class MetaDataReport {
  private static final String SCHEMA = "meta";

  /** Columns whose values are a server's own affair. */
  private static final Set<String> LEFT_OUT =
      Set.of("CARDINALITY", "PAGES", "TABLE_CATALOG", "TABLE_CAT", "PKTABLE_CAT", "FKTABLE_CAT");

  private static final List<String> SETUP =
      List.of(
          "CREATE SCHEMA meta",
          "CREATE TABLE meta.parent (a int, b varchar(20) NOT NULL, c numeric(10, 2) DEFAULT 1.5,"
              + " PRIMARY KEY (b, a), UNIQUE (c))",
          "CREATE TABLE meta.child (b varchar(20), a int, n bigserial, t text DEFAULT 'x', f"
              + " float8, r real, s smallint, ok boolean, d date, ti time, ts timestamp(3), tz"
              + " timestamptz, by bytea, u uuid, ch char(5), iv interval, PRIMARY KEY (b, a),"
              + " CONSTRAINT child_fk FOREIGN KEY (b, a) REFERENCES meta.parent (b, a) ON UPDATE"
              + " CASCADE ON DELETE RESTRICT)",
          "CREATE INDEX child_ts ON meta.child (ts DESC, u)",
          "CREATE TABLE meta.self (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY REFERENCES"
              + " meta.self ON DELETE CASCADE INITIALLY DEFERRED, \"Odd Name\" text)",
          "CREATE SEQUENCE meta.seq",
          "CREATE TABLE meta.plain (x int)");

  private static final List<String> CLEANUP =
      List.of(
          "DROP TABLE meta.plain, meta.self, meta.child, meta.parent",
          "DROP SEQUENCE meta.seq",
          "DROP SCHEMA meta");

  private final StringBuilder text = new StringBuilder();

  private MetaDataReport() {}

  static String of(Connection connection) throws SQLException {
    MetaDataReport report = new MetaDataReport();
    run(connection, SETUP);
    try {
      report.catalog(connection.getMetaData());
      report.results(connection);
      report.keys(connection);
      report.batches(connection);
    } finally {
      run(connection, CLEANUP);
    }
    return report.text.toString();
  }

  private static void run(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private void title(String title) {
    text.append("== ").append(title).append('\n');
  }

  private void rows(String title, ResultSet result) throws SQLException {
    title(title);
    try (result) {
      ResultSetMetaData columns = result.getMetaData();
      List<String> lines = new ArrayList<>();
      while (result.next()) {
        List<String> cells = new ArrayList<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
          String name = columns.getColumnName(i);
          if (!LEFT_OUT.contains(name.toUpperCase(java.util.Locale.ROOT))) {
            cells.add(name + "=" + result.getString(i));
          }
        }
        lines.add(String.join(" ", cells));
      }
      lines.forEach(line -> text.append(line).append('\n'));
    }
  }

  private void catalog(DatabaseMetaData data) throws SQLException {
    rows("getTables", data.getTables(null, SCHEMA, "%", null));
    rows("getTables TABLE", data.getTables(null, SCHEMA, "p%", new String[] {"TABLE", "VIEW"}));
    rows("getTables SEQUENCE", data.getTables(null, SCHEMA, null, new String[] {"SEQUENCE"}));
    for (String table : List.of("parent", "child", "self")) {
      rows("getColumns " + table, data.getColumns(null, SCHEMA, table, "%"));
      rows("getPrimaryKeys " + table, data.getPrimaryKeys(null, SCHEMA, table));
      rows("getIndexInfo " + table, data.getIndexInfo(null, SCHEMA, table, false, false));
      rows("getIndexInfo unique " + table, data.getIndexInfo(null, SCHEMA, table, true, true));
      rows("getImportedKeys " + table, data.getImportedKeys(null, SCHEMA, table));
      rows("getExportedKeys " + table, data.getExportedKeys(null, SCHEMA, table));
      rows(
          "getBestRowIdentifier " + table,
          data.getBestRowIdentifier(null, SCHEMA, table, DatabaseMetaData.bestRowSession, true));
      rows("getVersionColumns " + table, data.getVersionColumns(null, SCHEMA, table));
    }
    rows(
        "getCrossReference", data.getCrossReference(null, SCHEMA, "parent", null, SCHEMA, "child"));
    rows("getSchemas", data.getSchemas(null, SCHEMA));
    rows("getTableTypes", data.getTableTypes());
    rows("getProcedures", data.getProcedures(null, SCHEMA, "%"));
    rows("getProcedureColumns", data.getProcedureColumns(null, SCHEMA, "%", "%"));
    rows("getFunctions", data.getFunctions(null, SCHEMA, "%"));
    rows("getFunctionColumns", data.getFunctionColumns(null, SCHEMA, "%", "%"));
    rows("getUDTs", data.getUDTs(null, SCHEMA, "%", new int[] {java.sql.Types.DISTINCT}));
    rows("getClientInfoProperties", data.getClientInfoProperties());
    rows("getTablePrivileges", data.getTablePrivileges(null, SCHEMA, "parent"));
    rows("getColumnPrivileges", data.getColumnPrivileges(null, SCHEMA, "parent", "a"));
    types(data);
    title("others");
    text.append(data.getSQLKeywords()).append('\n');
    text.append(data.getMaxColumnNameLength()).append('\n');
    text.append(data.getDefaultTransactionIsolation()).append('\n');
    text.append(data.getDatabaseMajorVersion()).append('\n');
    text.append(data.getUserName()).append('\n');
  }

  /** The types that both servers have. */
  private void types(DatabaseMetaData data) throws SQLException {
    title("getTypeInfo");
    Set<String> known =
        Set.of(
            "bool",
            "int2",
            "int4",
            "int8",
            "float4",
            "float8",
            "numeric",
            "text",
            "varchar",
            "bpchar",
            "date",
            "time",
            "timestamp",
            "timestamptz",
            "bytea",
            "uuid",
            "interval",
            "oid",
            "name",
            "_int4",
            "_text",
            "bigserial",
            "serial");
    try (ResultSet result = data.getTypeInfo()) {
      List<String> lines = new ArrayList<>();
      while (result.next()) {
        if (known.contains(result.getString("TYPE_NAME"))) {
          lines.add(
              result.getString("TYPE_NAME")
                  + " "
                  + result.getInt("DATA_TYPE")
                  + " "
                  + result.getInt("PRECISION")
                  + " "
                  + result.getString("LITERAL_PREFIX")
                  + " "
                  + result.getBoolean("AUTO_INCREMENT"));
        }
      }
      lines.sort(null);
      lines.forEach(line -> text.append(line).append('\n'));
    }
  }

  private void results(Connection connection) throws SQLException {
    title("ResultSetMetaData");
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT c.*, s.id AS key, s.\"Odd Name\", count(*) OVER () AS n, 1 + c.a AS sum"
                    + " FROM meta.child c, meta.self s")) {
      describe(result.getMetaData());
    } catch (SQLException e) {
      text.append(e.getSQLState()).append('\n');
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT c.a, c.b AS other, c.n, p.c, s.id FROM meta.child c JOIN meta.parent p ON p.a ="
                + " c.a JOIN meta.self s ON s.id = ? WHERE c.t = ?")) {
      describe(statement.getMetaData());
      text.append(statement.getParameterMetaData().getParameterTypeName(1)).append('\n');
      text.append(statement.getParameterMetaData().getParameterTypeName(2)).append('\n');
    }
  }

  private void describe(ResultSetMetaData data) throws SQLException {
    for (int i = 1; i <= data.getColumnCount(); i++) {
      text.append(data.getColumnLabel(i))
          .append(' ')
          .append(data.getColumnName(i))
          .append(' ')
          .append(data.getTableName(i))
          .append(' ')
          .append(data.getSchemaName(i))
          .append(' ')
          .append(data.getColumnTypeName(i))
          .append(' ')
          .append(data.getPrecision(i))
          .append(' ')
          .append(data.getScale(i))
          .append(' ')
          .append(data.getColumnDisplaySize(i))
          .append(data.isAutoIncrement(i) ? " auto" : "")
          .append(" nullable ")
          .append(data.isNullable(i))
          .append(' ')
          .append(data.getColumnClassName(i))
          .append('\n');
    }
  }

  private void keys(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO meta.parent VALUES (1, 'k'), (2, 'k'), (3, 'k'), (4, 'k')"
              .replace("'k')", "'k', NULL)"));
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT INTO meta.child (a, b) VALUES (?, 'k')", Statement.RETURN_GENERATED_KEYS)) {
      statement.setInt(1, 1);
      statement.executeUpdate();
      try (ResultSet keys = statement.getGeneratedKeys()) {
        title("getGeneratedKeys");
        keys.next();
        text.append(keys.getMetaData().getColumnCount()).append(' ');
        text.append(keys.getString("a")).append(' ').append(keys.getLong("n")).append('\n');
      }
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT INTO meta.child (a, b) VALUES (?, 'k')", new String[] {"n", "t"})) {
      statement.setInt(1, 2);
      statement.executeUpdate();
      rows("getGeneratedKeys by name", statement.getGeneratedKeys());
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT INTO meta.child (a, b) VALUES (?, 'k')", new String[] {"n"})) {
      for (int a = 3; a <= 4; a++) {
        statement.setInt(1, a);
        statement.addBatch();
      }
      statement.executeBatch();
      rows("getGeneratedKeys of a batch", statement.getGeneratedKeys());
    }
  }

  private void batches(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("INSERT INTO meta.plain VALUES (?)")) {
      for (int i = 0; i < 300; i++) {
        if (i % 100 == 50) {
          statement.setNull(1, java.sql.Types.INTEGER);
        } else {
          statement.setInt(1, i);
        }
        statement.addBatch();
      }
      int[] counts = statement.executeBatch();
      title("executeBatch");
      text.append(counts.length)
          .append(' ')
          .append(Arrays.stream(counts).distinct().boxed().toList());
      text.append('\n');
    }
    try (Statement statement = connection.createStatement()) {
      rows("batch", statement.executeQuery("SELECT count(*), count(x), sum(x) FROM meta.plain"));
      statement.addBatch("UPDATE meta.plain SET x = 0 WHERE x < 10");
      statement.addBatch("INSERT INTO meta.plain VALUES (1)");
      statement.addBatch("SELECT 1/0");
      title("batch with an error");
      try {
        statement.executeBatch();
      } catch (java.sql.BatchUpdateException e) {
        text.append(Arrays.toString(e.getUpdateCounts())).append(' ').append(e.getSQLState());
        text.append('\n');
      }
    }
  }
}
