package io.gauss.compute.expr;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.reference.Recording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares Gauss with what PostgreSQL 15 answered; {@link RecordedAnswersTest} asks it again. */
class PgExpectationsTest {
  static List<Path> files() {
    return Recording.files("/postgres", ".tsv");
  }

  @ParameterizedTest
  @MethodSource("files")
  void gauss_answers_as_postgresql_does(Path file) throws IOException {
    ZoneId zone = ZoneOffset.UTC;
    List<String> differences = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      PgCase test = PgCase.parse(line);
      if (!test.isQuestion()) {
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
