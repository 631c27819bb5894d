package io.gauss.compute.expr;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares Gauss with what PostgreSQL 15 answered; {@link PgExpectationsGenerator} asks it again.
 */
class PgExpectationsTest {
  static List<String> lines(String file) {
    try (InputStream in = PgExpectationsTest.class.getResourceAsStream("/postgres/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.tsv",
        "casts.tsv",
        "numbers.tsv",
        "numeric-random.tsv",
        "texts.tsv",
        "times.tsv",
        "resolution.tsv",
        "aggregates.tsv",
        "formatting.tsv"
      })
  void gauss_answers_as_postgresql_does(String file) {
    ZoneId zone = ZoneOffset.UTC;
    List<String> differences = new ArrayList<>();
    for (String line : lines(file)) {
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      PgCase test = PgCase.parse(line);
      if (test.fields().get(0).equals("zone")) {
        zone = ZoneId.of(test.fields().get(1));
        continue;
      }
      for (boolean columns : new boolean[] {false, true}) {
        String answer = answer(test, zone, columns);
        if (!answer.equals(test.expected())) {
          differences.add(
              String.join(" | ", test.fields())
                  + "\n    PostgreSQL "
                  + test.expected()
                  + "\n    Gauss      "
                  + answer);
          break;
        }
      }
    }
    assertTrue(
        differences.isEmpty(),
        () -> differences.size() + " differ in " + file + ":\n" + String.join("\n", differences));
  }

  private static String answer(PgCase test, ZoneId zone, boolean columns) {
    try {
      return test.answer(zone, columns);
    } catch (RuntimeException e) {
      StackTraceElement[] trace = e.getStackTrace();
      return "CRASH " + e + " at " + (trace.length > 0 ? trace[0] : "");
    }
  }
}
