package io.gauss.compute.reference;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;

/**
 * What a server says to a statement.
 *
 * @param head columns with their types, or the number of rows changed; null for an error
 * @param rows as text, in the order in which they came
 * @param sqlState of an error, else null
 * @param message of an error, else null
 */
record Answer(String head, List<String> rows, String sqlState, String message) {
  private static final int PATIENCE_SECONDS = 60;
  private static final Pattern COPY_OUT =
      Pattern.compile(
          "\\s*copy\\b.*\\bto\\s+stdout\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  boolean isError() {
    return sqlState != null;
  }

  /** A broken connection is an exception, everything else an answer. */
  static Answer of(Connection connection, PsqlScript.Step step) throws SQLException {
    try {
      if (step.data() != null) {
        long rows =
            connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn(step.sql(), new StringReader(step.data()));
        return new Answer("copied " + rows, List.of(), null, null);
      }
      if (COPY_OUT.matcher(step.sql()).matches()) {
        StringWriter out = new StringWriter();
        connection.unwrap(PGConnection.class).getCopyAPI().copyOut(step.sql(), out);
        return new Answer("copy", List.of(out.toString().split("\n")), null, null);
      }
      return executed(connection, step.sql());
    } catch (IOException e) {
      throw new SQLException(e);
    } catch (SQLException e) {
      if (e.getSQLState() == null || e.getSQLState().startsWith("08")) {
        throw e;
      }
      return new Answer(null, List.of(), e.getSQLState(), e.getMessage());
    }
  }

  private static Answer executed(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      statement.setQueryTimeout(PATIENCE_SECONDS);
      if (!statement.execute(sql)) {
        return new Answer("count " + statement.getUpdateCount(), List.of(), null, null);
      }
      try (ResultSet result = statement.getResultSet()) {
        return rows(result);
      }
    }
  }

  private static Answer rows(ResultSet result) throws SQLException {
    ResultSetMetaData columns = result.getMetaData();
    List<String> head = new ArrayList<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      // Gauss's catalogs have no type for privileges: their text is the same.
      String type = columns.getColumnTypeName(i).replace("_aclitem", "_text");
      head.add(columns.getColumnLabel(i) + ":" + type);
    }
    List<String> rows = new ArrayList<>();
    while (result.next()) {
      List<String> values = new ArrayList<>();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        values.add(String.valueOf(result.getString(i)));
      }
      rows.add(String.join(" | ", values));
    }
    return new Answer(String.join(", ", head), rows, null, null);
  }

  /** Whether both are the same; the order of rows counts if the statement says ORDER BY. */
  boolean sameAs(Answer other, String sql) {
    if (isError() || other.isError()) {
      return isError() && other.isError() && sqlState.equals(other.sqlState);
    }
    if (!head.equals(other.head)) {
      return false;
    }
    if (sql.toLowerCase(Locale.ROOT).contains("order by")) {
      return rows.equals(other.rows);
    }
    return rows.stream().sorted().toList().equals(other.rows.stream().sorted().toList());
  }

  @Override
  public String toString() {
    if (isError()) {
      return "ERROR " + sqlState + " " + message.replace("\n", "\n    ");
    }
    return head + (rows.isEmpty() ? "" : "\n    " + String.join("\n    ", rows));
  }
}
