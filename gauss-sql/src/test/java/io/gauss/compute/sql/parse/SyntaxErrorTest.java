package io.gauss.compute.sql.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.reference.PostgresClient;
import io.gauss.compute.reference.Recording;
import io.gauss.compute.reference.ReferencePostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Messages and positions of syntax errors as PostgreSQL 15 gives them: statement, message, position
 * by tabs. After adding statements: {@link Recording}, and their number here.
 */
class SyntaxErrorTest {
  private static final int RECORDED = 126;

  private static List<String> recorded() throws IOException {
    return Files.readString(Recording.path("/sql/syntax-errors.tsv")).lines().toList();
  }

  private static String statement(String line) {
    return line.split("\t", 2)[0];
  }

  @Test
  void syntaxErrorsReadAsInPostgresql() throws IOException {
    List<String> differences = new ArrayList<>();
    for (String line : recorded()) {
      String actual = statement(line) + "\tno error";
      try {
        PgParser.parseAll(statement(line));
      } catch (GaussException e) {
        assertEquals(SqlState.SYNTAX_ERROR, e.state(), line);
        actual = String.join("\t", statement(line), e.getMessage(), String.valueOf(e.position()));
      }
      if (!actual.equals(line)) {
        differences.add("PostgreSQL: " + line + "\nGauss:      " + actual);
      }
    }
    assertEquals("", String.join("\n", differences));
  }

  @Test
  void postgresStillAnswersSo() throws IOException, SQLException {
    List<String> statements = recorded().stream().map(SyntaxErrorTest::statement).toList();
    List<PostgresClient.Answer> answers;
    try (PostgresClient postgres = ReferencePostgres.get().newClient()) {
      answers = postgres.query(statements);
    }
    List<String> again = new ArrayList<>();
    for (int i = 0; i < statements.size(); i++) {
      PostgresClient.Failure error = answers.get(i).error();
      assertNotNull(error, statements.get(i));
      assertEquals(SqlState.SYNTAX_ERROR.code(), error.state(), statements.get(i));
      again.add(String.join("\t", statements.get(i), error.message(), error.position()));
    }
    if (Recording.isWanted()) {
      Files.write(Recording.path("/sql/syntax-errors.tsv"), again);
    }
    assertEquals(String.join("\n", recorded()), String.join("\n", again));
    assertEquals(RECORDED, again.stream().distinct().count());
    System.out.println("SyntaxErrorTest: PostgreSQL was asked for " + RECORDED + " errors again");
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
