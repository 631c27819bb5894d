package io.gauss.compute.sql.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Messages and positions of syntax errors as PostgreSQL 15 gave them: statement, message, position
 * by tabs.
 */
class SyntaxErrorTest {
  @Test
  void syntaxErrorsReadAsInPostgresql() throws IOException {
    String text;
    try (InputStream in = SyntaxErrorTest.class.getResourceAsStream("/sql/syntax-errors.tsv")) {
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    List<String> differences = new ArrayList<>();
    for (String line : text.split("\n")) {
      String[] parts = line.split("\t", -1);
      String actual;
      try {
        PgParser.parseAll(parts[0]);
        actual = "no error";
      } catch (GaussException e) {
        actual = e.state() + " " + e.getMessage() + " " + e.position();
      }
      String expected = SqlState.SYNTAX_ERROR + " " + parts[1] + " " + parts[2];
      if (!actual.equals(expected)) {
        differences.add(parts[0] + "\n  PostgreSQL: " + expected + "\n  Gauss:      " + actual);
      }
    }
    assertEquals("", String.join("\n", differences));
  }

  @Test
  void aPreparedStatementHoldsOneStatement() {
    GaussException e =
        assertThrows(GaussException.class, () -> PgParser.parse("SELECT 1; SELECT 2"));
    assertEquals("cannot insert multiple commands into a prepared statement", e.getMessage());
  }

  @Test
  void positionsCountCharactersNotUtf16Units() {
    GaussException e =
        assertThrows(GaussException.class, () -> PgParser.parseAll("SELECT '\ud83d\ude00' 1"));
    assertEquals(12, e.position());
  }

  @Test
  void nestingIsBounded() {
    for (String deep :
        List.of(
            "SELECT " + "(".repeat(100_000),
            "SELECT " + "(".repeat(5_000) + "1" + ")".repeat(5_000),
            "SELECT " + "- ".repeat(100_000) + "a",
            "SELECT " + "NOT ".repeat(100_000) + "a",
            "SELECT " + "CASE WHEN ".repeat(10_000) + "a",
            "SELECT " + "1 + ".repeat(10_000) + "1",
            "SELECT " + "a::int".repeat(1) + "::int".repeat(10_000),
            "SELECT " + "f(".repeat(10_000) + ")".repeat(10_000),
            "SELECT " + "ARRAY[".repeat(10_000) + "]".repeat(10_000),
            "SELECT * FROM " + "(".repeat(10_000) + "a",
            "SELECT * FROM " + "a JOIN ".repeat(10_000) + "a",
            "SELECT 1" + " UNION SELECT 1".repeat(10_000),
            "SELECT * FROM a" + " CROSS JOIN a".repeat(10_000),
            "SELECT " + "(SELECT ".repeat(10_000),
            "EXPLAIN ".repeat(100_000) + "SELECT 1")) {
      GaussException e = assertThrows(GaussException.class, () -> PgParser.parseAll(deep));
      if (e.state() != SqlState.STATEMENT_TOO_COMPLEX && e.state() != SqlState.SYNTAX_ERROR) {
        throw e;
      }
    }
  }

  @Test
  void longChainsOfAndAndOrAreNotDeep() {
    PgParser.parseAll("SELECT 1 WHERE a = 1" + " OR a = 2".repeat(50_000));
    PgParser.parseAll("SELECT 1 WHERE a IN (1" + ", 2".repeat(50_000) + ")");
    PgParser.parseAll("INSERT INTO t VALUES (1)" + ", (1 + 1)".repeat(50_000));
  }
}
