package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * The scripts in {@code src/test/resources/slt} have the answers that one node and PostgreSQL give
 * ({@link SqlScriptsTest}) when each of their statements goes to a compute node at random: whatever
 * a statement has done, the next one finds on every node.
 */
@Timeout(600)
class SprayedScriptsTest extends OnThreeNodes {
  private static final int SAMPLE = 6;
  private static final int ROUNDS = Integer.getInteger("gauss.rounds", 3);
  private static final String ONLY = System.getProperty("gauss.expectations.file", "");

  /** How many each node has run. */
  private final int[] statements = new int[NODES];

  @TestFactory
  Stream<DynamicTest> someScripts() throws IOException, URISyntaxException {
    Random random = new Random(Seeds.next());
    List<Path> scripts = scripts();
    Collections.shuffle(scripts, random);
    Stream<DynamicTest> some =
        scripts.stream()
            .limit(SAMPLE)
            .map(script -> test(script, random.nextBoolean() ? "simple" : "extended", random));
    return Stream.concat(some, Stream.of(countsOfNodes()));
  }

  @TestFactory
  @Tag("long")
  Stream<DynamicTest> allScripts() throws IOException, URISyntaxException {
    Random random = new Random(Seeds.next());
    List<DynamicTest> tests = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      for (Path script : scripts()) {
        tests.add(test(script, "simple", random));
        tests.add(test(script, "extended", random));
      }
    }
    tests.add(countsOfNodes());
    return tests.stream();
  }

  /** That statements have been sprayed at all; a script alone may depend on its session. */
  private DynamicTest countsOfNodes() {
    return DynamicTest.dynamicTest(
        "every node has run statements",
        () -> assertTrue(Arrays.stream(statements).allMatch(count -> count > 0)));
  }

  private List<Path> scripts() throws IOException, URISyntaxException {
    try (Stream<Path> files = Files.list(Path.of(getClass().getResource("/slt").toURI()))) {
      return new ArrayList<>(
          files.filter(file -> file.toString().endsWith(ONLY + ".sql")).sorted().toList());
    }
  }

  private DynamicTest test(Path script, String mode, Random seeds) {
    long seed = seeds.nextLong();
    return DynamicTest.dynamicTest(
        script.getFileName() + " " + mode, () -> run(script, mode, new Random(seed)));
  }

  private void run(Path file, String mode, Random random) throws Exception {
    List<String> script = SqlScript.statements(Files.readAllLines(file));
    List<Connection> sessions = new ArrayList<>();
    try {
      for (int number : cluster.numbers()) {
        sessions.add(DriverManager.getConnection(cluster.url(number) + "&preferQueryMode=" + mode));
      }
      SprayedScript sprayed = new SprayedScript(sessions, random, statements);
      String actual = String.join("", sprayed.run(script));
      assertEquals(Files.readString(Path.of(file.toString().replace(".sql", ".out"))), actual);
    } finally {
      for (Connection session : sessions) {
        session.close();
      }
    }
  }
}
