package io.gauss.compute.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.node.SqlScript;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How far Gauss's SQL is from PostgreSQL's, in figures: every statement of the scripts in {@code
 * src/test/resources/slt} in both servers, by topic. The table and all differences are left in
 * {@code target/differential}.
 *
 * <p>{@code gauss.differential.scripts} names a directory of other scripts, written for psql, to be
 * counted in the same way (differences are no failure then), {@code gauss.differential.setup} a
 * script that is run before each of them, {@code gauss.differential.only} some of them, separated
 * by commas.
 */
@Tag("long")
class DifferentialTableTest {
  private static final String SCRIPTS = System.getProperty("gauss.differential.scripts");
  private static final String SET_UP = System.getProperty("gauss.differential.setup");
  private static final String ONLY = System.getProperty("gauss.differential.only", "");

  @Test
  void theScriptsHaveTheSameAnswersAsInPostgres()
      throws IOException, SQLException, URISyntaxException {
    DifferentialTable table = new DifferentialTable(List.of());
    for (Path script : scripts(Path.of(getClass().getResource("/slt").toURI()))) {
      List<PsqlScript.Step> steps =
          SqlScript.statements(Files.readAllLines(script)).stream()
              .map(sql -> new PsqlScript.Step(sql, null))
              .toList();
      table.compare(topic(script), steps);
    }
    write("scripts", table);
    assertTrue(table.count(Verdict.SAME_RESULT) > 0);
    assertEquals("", table.differences());
  }

  @Test
  void otherScriptsAreCounted() throws IOException, SQLException {
    if (SCRIPTS == null) {
      return;
    }
    List<PsqlScript.Step> setUp =
        SET_UP == null ? List.of() : PsqlScript.steps(Files.readString(Path.of(SET_UP)));
    DifferentialTable table = new DifferentialTable(setUp);
    for (Path script : scripts(Path.of(SCRIPTS))) {
      if (ONLY.isEmpty() || List.of(ONLY.split(",")).contains(topic(script))) {
        table.compare(topic(script), PsqlScript.steps(Files.readString(script)));
      }
    }
    write("other-scripts", table);
    assertTrue(table.count(Verdict.SAME_RESULT) > 0, "no statement had the same result");
  }

  private static List<Path> scripts(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".sql")).sorted().toList();
    }
  }

  private static String topic(Path script) {
    return script.getFileName().toString().replace(".sql", "");
  }

  private static void write(String name, DifferentialTable table) throws IOException {
    Path directory = Files.createDirectories(Path.of("target", "differential"));
    Files.writeString(directory.resolve(name + ".md"), table.markdown());
    Files.writeString(directory.resolve(name + ".txt"), table.differences());
  }
}
