package io.gauss.compute.node;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * A file of SQL statements, each ended by a semicolon at a line's end, and what a server answers to
 * them as text. Lines that begin with {@code --} are left out. Rows of a query without ORDER BY are
 * sorted.
 */
public final class SqlScript {
  private SqlScript() {}

  /** The statements, without their semicolons. */
  public static List<String> statements(List<String> lines) {
    List<String> statements = new ArrayList<>();
    StringBuilder statement = new StringBuilder();
    for (String line : lines) {
      if (line.startsWith("--") || (line.isBlank() && statement.isEmpty())) {
        continue;
      }
      statement.append(statement.isEmpty() ? "" : "\n").append(line);
      if (line.stripTrailing().endsWith(";")) {
        String text = statement.toString().strip();
        statements.add(text.substring(0, text.length() - 1));
        statement.setLength(0);
      }
    }
    if (!statement.isEmpty()) {
      throw new IllegalArgumentException("no semicolon after " + statement);
    }
    return statements;
  }

  /** One answer for each statement: the statement, then lines that are indented. */
  static List<String> run(List<String> statements, Connection connection) throws SQLException {
    List<String> answers = new ArrayList<>();
    for (String sql : statements) {
      answers.add(sql + ";\n" + answer(sql, connection));
    }
    return answers;
  }

  /** What a server answers to one statement: lines that are indented. */
  static String answer(String sql, Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return "  " + statement.getUpdateCount() + "\n";
      }
      List<String> rows = new ArrayList<>();
      try (ResultSet result = statement.getResultSet()) {
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
          StringBuilder row = new StringBuilder("  ");
          for (int i = 1; i <= columns; i++) {
            row.append(i == 1 ? "" : " | ").append(result.getString(i));
          }
          rows.add(row.append('\n').toString());
        }
      }
      if (!sql.toLowerCase(java.util.Locale.ROOT).contains("order by")) {
        rows.sort(null);
      }
      return String.join("", rows) + "  rows: " + rows.size() + "\n";
    } catch (PSQLException e) {
      return error(e);
    }
  }

  private static String error(PSQLException e) {
    ServerErrorMessage error = e.getServerErrorMessage();
    if (error == null) {
      return "  ERROR " + e.getSQLState() + " " + e.getMessage() + "\n";
    }
    StringBuilder text = new StringBuilder("  ERROR ").append(error.getSQLState()).append(' ');
    text.append(error.getMessage()).append('\n');
    append(text, "detail", error.getDetail());
    append(text, "hint", error.getHint());
    append(text, "table", error.getTable());
    append(text, "column", error.getColumn());
    append(text, "constraint", error.getConstraint());
    return text.toString();
  }

  private static void append(StringBuilder text, String name, String value) {
    if (value != null) {
      text.append("    ").append(name).append(": ").append(value).append('\n');
    }
  }
}
