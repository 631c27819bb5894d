package io.gauss.compute.sql.parse;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever comes in, out comes a tree or a GaussException, and soon. */
class ParserFuzzTest {
  private static final String[] PIECES = {
    "(",
    ")",
    ",",
    ";",
    ".",
    "'",
    "\"",
    "$1",
    "$$",
    "$a$",
    "::",
    "=",
    "<",
    "||",
    "-",
    "--",
    "/*",
    "*/",
    "*",
    "[",
    "]",
    "1",
    "1.5",
    "1e9",
    "a",
    "\"b\"",
    "'c'",
    "E'\\x41'",
    "U&'\\0041'",
    "SELECT",
    "FROM",
    "WHERE",
    "NOT",
    "NULL",
    "IN",
    "LIKE",
    "BETWEEN",
    "AND",
    "OR",
    "CASE",
    "WHEN",
    "END",
    "AS",
    "INTERVAL",
    "DATE",
    "CAST",
    "VALUES",
    "ROW",
    "ARRAY",
    "EXISTS",
    "JOIN",
    "ON",
    "USING",
    "GROUP",
    "ORDER",
    "BY",
    "LIMIT",
    "FOR",
    "UPDATE",
    "SET",
    "INSERT",
    "INTO",
    "CONFLICT",
    "DO",
    "RETURNING",
    "WITH",
    "time",
    "zone",
    "at",
    "CREATE",
    "TABLE",
    "DEFAULT",
    "CHECK",
    "REFERENCES",
    "INDEX",
    "ALTER",
    "ADD",
    "DROP",
    "COPY",
    "EXPLAIN",
    "\u00e9",
    "\ud83d",
    "\0",
    "\n",
    "\t",
    "%",
    "@",
    "!",
    "~",
    "?",
    ":",
    "{",
    "\\"
  };

  @Test
  void garbageNeverBreaksTheParser() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.out.println("gauss.seed=" + seed);
    Random random = new Random(seed);
    List<String> corpus = ParserCorpusTest.corpus();
    LiteralExtractor extractor = new LiteralExtractor();
    long start = System.nanoTime();
    int parsed = 0;
    int rounds = 0;
    // Bounded by time as well, so that a slow machine does not stretch the build.
    while (rounds < 60_000 && System.nanoTime() - start < 8_000_000_000L) {
      rounds++;
      String sql = random.nextInt(4) == 0 ? pieces(random) : mutated(corpus, random);
      try {
        PgParser.parseAll(sql);
        parsed++;
      } catch (GaussException expected) {
        assertTrue(expected.position() <= sql.length() + 1, sql);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ": " + sql, e);
      }
      try {
        if (extractor.extract(sql)) {
          PgParser.parseAll(extractor.text());
        }
      } catch (GaussException expected) {
        // The caller continues with the original.
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ": " + sql, e);
      }
    }
    assertTrue(parsed > 0);
  }

  private static String pieces(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(40); i >= 0; i--) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
      if (random.nextInt(4) != 0) {
        text.append(' ');
      }
    }
    return text.toString();
  }

  private static String mutated(List<String> corpus, Random random) {
    StringBuilder text = new StringBuilder(corpus.get(random.nextInt(corpus.size())));
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(text.length() + 1);
      switch (random.nextInt(5)) {
        case 0 -> text.insert(at, " " + PIECES[random.nextInt(PIECES.length)] + " ");
        case 1 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(8)));
        case 2 -> text.setLength(at);
        case 3 -> text.insert(at, PIECES[random.nextInt(PIECES.length)]);
        default -> {
          String other = corpus.get(random.nextInt(corpus.size()));
          text.append(' ').append(other, random.nextInt(other.length()), other.length());
        }
      }
    }
    return text.toString();
  }
}
