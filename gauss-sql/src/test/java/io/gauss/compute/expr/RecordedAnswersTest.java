package io.gauss.compute.expr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.reference.PostgresClient;
import io.gauss.compute.reference.Recording;
import io.gauss.compute.reference.ReferencePostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Asks PostgreSQL all questions of {@code src/test/resources/postgres} again: the files, which
 * {@link PgExpectationsTest} compares Gauss with, are byte for byte what it answers. So nobody has
 * edited an answer, or taken it from Gauss.
 *
 * <p>After adding questions: {@link Recording}, and their number here.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecordedAnswersTest {
  /** Answers of each file: one that gets lost is missed. */
  private static final Map<String, Integer> RECORDED =
      Map.of(
          "aggregates.tsv", 481,
          "casts.tsv", 1736,
          "formatting.tsv", 1559,
          "io.tsv", 524,
          "numbers.tsv", 7884,
          "numeric-random.tsv", 2395,
          "resolution.tsv", 5772,
          "texts.tsv", 2632,
          "times.tsv", 3060);

  private static final String ARROW = "\t" + PgCase.ARROW + "\t";
  private static final int MOST_SHOWN = 20;

  private PostgresClient postgres;

  @BeforeAll
  void connect() throws SQLException, IOException {
    postgres = ReferencePostgres.get().newClient();
  }

  @AfterAll
  void disconnect() throws IOException {
    postgres.close();
  }

  @Test
  void postgresStillAnswersAsIsRecorded() throws IOException {
    Map<String, Integer> asked = new TreeMap<>();
    List<String> differences = new ArrayList<>();
    for (Path file : Recording.files("/postgres", ".tsv")) {
      String text = Files.readString(file);
      Asked again = ask(text.lines().toList());
      asked.put(file.getFileName().toString(), again.answers());
      if (Recording.isWanted()) {
        Files.write(file, again.lines());
      } else {
        differences.addAll(differences(file.getFileName().toString(), text, again));
      }
    }
    int answers = asked.values().stream().mapToInt(count -> count).sum();
    System.out.printf(
        "RecordedAnswersTest: PostgreSQL %s was asked for %d answers of %d files again, %d"
            + " differ%n",
        postgres.version(), answers, asked.size(), differences.size());
    assertTrue(differences.isEmpty(), () -> shown(differences));
    assertEquals(new TreeMap<>(RECORDED), asked, "answers by file");
  }

  /** A comparison that finds nothing might compare nothing. */
  @Test
  void anAnswerThatSomebodyEditedIsFound() throws IOException {
    String question = "op\t+\tint4:2\tint4:2";
    String failing = "op\t/\tint4:2\tint4:0";
    for (String edited :
        List.of(
            question + ARROW + "integer:5\n",
            question + ARROW + "bigint:4\n",
            question + ARROW + "integer:\\\\N\n",
            question + ARROW + "integer:4 \n",
            question + "\n",
            question + ARROW + "integer:4",
            failing + ARROW + "ERROR 22012 Division by zero\n",
            failing + ARROW + "ERROR 22003 division by zero\n")) {
      assertEquals(1, differences("edited", edited, ask(edited.lines().toList())).size(), edited);
    }
    String honest =
        question + ARROW + "integer:4\n" + failing + ARROW + "ERROR 22012 division by zero\n";
    Asked again = ask(honest.lines().toList());
    assertEquals(List.of(), differences("honest", honest, again));
    assertEquals(2, again.answers());
  }

  /**
   * A file as PostgreSQL fills it now.
   *
   * @param answers how many there are
   */
  private record Asked(List<String> lines, int answers) {}

  private Asked ask(List<String> lines) throws IOException {
    List<String> statements = new ArrayList<>(List.of("SET TimeZone = 'UTC'"));
    List<PgCase> cases = lines.stream().map(PgCase::parse).toList();
    cases.forEach(each -> statements.add(each.sql()));
    List<PostgresClient.Answer> answers = postgres.query(statements);
    assertEquals(statements.size(), answers.size());
    List<String> filled = new ArrayList<>();
    int count = 0;
    for (int i = 0; i < lines.size(); i++) {
      PostgresClient.Answer answer = answers.get(i + 1);
      if (cases.get(i).isQuestion()) {
        filled.add(lines.get(i).split(ARROW, 2)[0] + ARROW + cases.get(i).recordedLine(answer));
        count++;
      } else {
        assertEquals(null, answer.error(), lines.get(i));
        filled.add(lines.get(i));
      }
    }
    return new Asked(filled, count);
  }

  private static List<String> differences(String file, String recorded, Asked again) {
    List<String> lines = recorded.lines().toList();
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).equals(again.lines().get(i))) {
        differences.add(
            "%s:%d%n  recorded   %s%n  PostgreSQL %s"
                .formatted(file, i + 1, lines.get(i), again.lines().get(i)));
      }
    }
    String now = String.join("\n", again.lines()) + "\n";
    if (differences.isEmpty() && !now.equals(recorded)) {
      differences.add(file + ": ends of lines");
    }
    return differences;
  }

  private static String shown(List<String> differences) {
    return differences.size()
        + " recorded answers are not PostgreSQL's:\n"
        + String.join("\n", differences.subList(0, Math.min(MOST_SHOWN, differences.size())));
  }
}
