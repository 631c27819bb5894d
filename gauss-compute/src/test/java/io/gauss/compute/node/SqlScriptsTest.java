package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.reference.Recording;
import io.gauss.compute.reference.ReferencePostgres;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the scripts in {@code src/test/resources/slt} over JDBC, by both query protocols, and
 * compares the answers with those of a PostgreSQL 15, which stand beside them; and runs them in a
 * PostgreSQL, so that what stands there is true.
 *
 * <p>What Gauss answered is left in {@code target/slt} for comparison by diff.
 *
 * <p>To record answers after a change: {@link Recording}; {@code -Dgauss.expectations.file=name}
 * takes one script only.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SqlScriptsTest {
  private static final String ONLY = System.getProperty("gauss.expectations.file", "");

  /** A script that gets lost is missed. */
  private static final int SCRIPTS = 64;

  private ComputeNode node;

  @BeforeAll
  void start(@TempDir Path data) {
    node =
        ComputeNode.start(
            NodeSettings.load(data, 0, Map.of("pool.size", "16MB")), new SimpleMeterRegistry());
  }

  @AfterAll
  void stop() {
    CheckedNode.close(node);
  }

  @TestFactory
  Stream<DynamicTest> scripts() {
    List<Path> scripts =
        Recording.files("/slt", ".sql").stream()
            .filter(file -> file.toString().endsWith(ONLY + ".sql"))
            .toList();
    return Stream.of("simple", "extended")
        .flatMap(
            mode ->
                scripts.stream()
                    .flatMap(
                        script ->
                            Stream.of(
                                DynamicTest.dynamicTest(
                                    script.getFileName() + " " + mode + " in PostgreSQL",
                                    () -> runInPostgres(script, mode)),
                                DynamicTest.dynamicTest(
                                    script.getFileName() + " " + mode, () -> run(script, mode)))));
  }

  @Test
  void everyScriptIsThereAndHasAnswers() {
    List<String> scripts = names(".sql");
    assertEquals(SCRIPTS, scripts.size());
    assertEquals(scripts, names(".out"));
  }

  private static List<String> names(String ending) {
    return Recording.files("/slt", ending).stream()
        .map(file -> file.getFileName().toString().replace(ending, ""))
        .toList();
  }

  /** The answers in the files are what a PostgreSQL gives today. */
  private static void runInPostgres(Path script, String mode) throws Exception {
    List<String> statements = SqlScript.statements(Files.readAllLines(script));
    String url = ReferencePostgres.get().newDatabase() + "&preferQueryMode=" + mode;
    try (Connection postgres = DriverManager.getConnection(url)) {
      postgres.createStatement().execute("SET client_min_messages = error");
      String actual = String.join("", SqlScript.run(statements, postgres));
      if (Recording.isWanted() && mode.equals("simple")) {
        Files.writeString(answers(script), actual);
      }
      assertEquals(Files.readString(answers(script)), actual);
    }
  }

  private static Path answers(Path script) {
    return Path.of(script.toString().replace(".sql", ".out"));
  }

  private void run(Path script, String mode) throws Exception {
    List<String> statements = SqlScript.statements(Files.readAllLines(script));
    Path answers = answers(script);
    String url =
        "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss&preferQueryMode=%s"
            .formatted(node.port(), mode);
    try (Connection gauss = DriverManager.getConnection(url)) {
      String actual = String.join("", SqlScript.run(statements, gauss));
      Path kept = Path.of("target", "slt", answers.getFileName() + "." + mode);
      Files.createDirectories(kept.getParent());
      Files.writeString(kept, actual);
      assertEquals(Files.readString(answers), actual);
    }
  }
}
