package io.gauss.compute.sql.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.gauss.common.error.SqlState;
import io.gauss.compute.reference.PostgresClient;
import io.gauss.compute.reference.ReferencePostgres;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Statements that real clients send, and one of nearly every form that the grammar knows. */
class ParserCorpusTest {
  private static final int STATEMENTS = 193;

  /** PostgreSQL reads them, too, but gives what it finds out afterwards the same SQLSTATE. */
  private static final List<String> REFUSED_AFTER_READING =
      List.of("SELECT * FROM (VALUES (1, 'a'), (2, DEFAULT)) AS v (x, y);");

  static List<String> corpus() {
    try (InputStream in = ParserCorpusTest.class.getResourceAsStream("/sql/corpus.sql")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      List<String> statements = new ArrayList<>();
      for (String line : text.split("\n")) {
        if (!line.startsWith("-- ") && !line.isBlank()) {
          statements.add(line);
        }
      }
      return statements;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void everyStatementOfTheCorpusParses() {
    List<String> failures = new ArrayList<>();
    for (String sql : corpus()) {
      try {
        assertEquals(1, PgParser.parseAll(sql).size(), sql);
      } catch (RuntimeException e) {
        failures.add(sql + "\n    " + e);
      }
    }
    assertEquals("", String.join("\n", failures));
  }

  /** PostgreSQL knows hardly any of the tables, but what it reads is read before that. */
  @Test
  void postgresReadsEveryStatementOfTheCorpus() throws IOException, SQLException {
    List<String> statements = corpus();
    List<PostgresClient.Answer> answers;
    try (PostgresClient postgres = ReferencePostgres.get().newClient()) {
      answers = postgres.parse(statements);
    }
    List<String> failures = new ArrayList<>();
    for (int i = 0; i < statements.size(); i++) {
      PostgresClient.Failure error = answers.get(i).error();
      if (error != null && error.state().equals(SqlState.SYNTAX_ERROR.code())) {
        failures.add(statements.get(i));
      }
    }
    assertEquals(REFUSED_AFTER_READING, failures);
    assertEquals(STATEMENTS, answers.size());
  }

  @Test
  void theWholeCorpusParsesAsOneString() {
    List<ParsedStatement> all = PgParser.parseAll(String.join("\n", corpus()));
    assertEquals(corpus().size(), all.size());
    assertFalse(all.get(1).text().endsWith(";"));
  }
}
