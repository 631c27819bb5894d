package io.gauss.compute.sql.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Statements that real clients send, and one of nearly every form that the grammar knows. */
class ParserCorpusTest {
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

  @Test
  void theWholeCorpusParsesAsOneString() {
    List<ParsedStatement> all = PgParser.parseAll(String.join("\n", corpus()));
    assertEquals(corpus().size(), all.size());
    assertFalse(all.get(1).text().endsWith(";"));
  }
}
