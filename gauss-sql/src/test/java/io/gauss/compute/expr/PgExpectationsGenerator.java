package io.gauss.compute.expr;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.postgresql.util.PSQLException;

/**
 * Writes the answers of a PostgreSQL 15 into the expectation files. Run with {@code
 * -Dtest=PgExpectationsGenerator -Dtest.groups.excluded=
 * -Dgauss.expectations.url=jdbc:postgresql://host/db?user=...} in this module's folder after adding
 * cases.
 */
@Tag("long")
@EnabledIfSystemProperty(named = "gauss.expectations.url", matches = ".+")
class PgExpectationsGenerator {
  @Test
  void ask_postgresql() throws SQLException, IOException {
    String url = System.getProperty("gauss.expectations.url");
    String only = System.getProperty("gauss.expectations.file", "");
    try (Connection connection = DriverManager.getConnection(url + "&preferQueryMode=simple");
        Statement statement = connection.createStatement();
        Stream<Path> files = Files.list(Path.of("src/test/resources/postgres"))) {
      for (Path file : files.sorted().toList()) {
        if (!file.toString().endsWith(only + ".tsv")) {
          continue;
        }
        statement.execute("SET TimeZone = 'UTC'");
        List<String> out = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
          out.add(answered(line, statement));
        }
        Files.write(file, out);
      }
    }
  }

  private static String answered(String line, Statement statement) throws SQLException {
    if (line.isEmpty() || line.startsWith("#")) {
      return line;
    }
    PgCase test = PgCase.parse(line);
    if (test.fields().get(0).equals("zone")) {
      statement.execute("SET TimeZone = '" + test.fields().get(1) + "'");
      return line;
    }
    int arrow = line.indexOf("\t" + PgCase.ARROW + "\t");
    String question = arrow < 0 ? line : line.substring(0, arrow);
    return question + "\t" + PgCase.ARROW + "\t" + ask(test, statement);
  }

  static String ask(PgCase test, Statement statement) {
    try (ResultSet rows = statement.executeQuery(test.sql())) {
      rows.next();
      byte[] second = rows.getBytes(2);
      if (test.fields().get(0).equals("io")) {
        return PgCase.escape(raw(rows, 1)) + "\t" + rows.getString(2);
      }
      return PgCase.escape(rows.getString(1) + ":" + (second == null ? "\\N" : raw(rows, 2)));
    } catch (PSQLException e) {
      return PgCase.escape(
          "ERROR "
              + e.getSQLState()
              + " "
              + (e.getServerErrorMessage() == null
                  ? e.getMessage()
                  : e.getServerErrorMessage().getMessage()));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String raw(ResultSet rows, int column) throws SQLException {
    // A bytea would be decoded by getBytes; its text form is asked for.
    return rows.getString(column);
  }
}
