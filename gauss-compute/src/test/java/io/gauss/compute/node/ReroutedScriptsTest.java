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
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scripts in {@code src/test/resources/slt} have the answers that one node and PostgreSQL give
 * ({@link SqlScriptsTest}) when the node that they are sent to forwards each transaction to a node
 * at random, or keeps it: that a transaction was forwarded cannot be told from its answers.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(1200)
class ReroutedScriptsTest {
  private static final int NODES = 3;
  private static final Pattern SEQUENCES =
      Pattern.compile("nextval|serial|identity|sequence", Pattern.CASE_INSENSITIVE);
  private static final String ONLY = System.getProperty("gauss.expectations.file", "");

  private WholeCluster cluster;
  private Random random;

  /** Slot that all transactions of the script go to; 0 = each to one at random. */
  private volatile int fixed;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    random = new Random(Seeds.next());
    cluster = new WholeCluster(directory, 1, 2, NODES, Map.of(), Map.of("routing.reroute", "on"));
    cluster.compute(1).node.reroutes().route((text, parameters) -> byChance());
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  /** On the event loops of connections, of which there is one at a time here. */
  private synchronized int byChance() {
    if (fixed != 0) {
      return fixed;
    }
    return random.nextInt(NODES + 1) % NODES == 0 ? 0 : 2 + random.nextInt(NODES - 1);
  }

  @TestFactory
  Stream<DynamicTest> scripts() throws IOException, URISyntaxException {
    List<Path> scripts;
    try (Stream<Path> files = Files.list(Path.of(getClass().getResource("/slt").toURI()))) {
      scripts = files.filter(file -> file.toString().endsWith(ONLY + ".sql")).sorted().toList();
    }
    Stream<DynamicTest> tests =
        scripts.stream()
            .flatMap(script -> Stream.of("simple", "extended").map(mode -> test(script, mode)));
    return Stream.concat(
        tests,
        Stream.of(
            DynamicTest.dynamicTest(
                "transactions were forwarded",
                () -> assertTrue(cluster.compute(1).node.routing().reroutes().forwarded() > 0))));
  }

  private DynamicTest test(Path script, String mode) {
    return DynamicTest.dynamicTest(script.getFileName() + " " + mode, () -> run(script, mode));
  }

  /** Each node takes values of sequences from ranges of its own: they come in turn on one only. */
  private synchronized void choose(List<String> script) {
    boolean hasSequences =
        script.stream().anyMatch(statement -> SEQUENCES.matcher(statement).find());
    fixed = hasSequences ? 2 + random.nextInt(NODES - 1) : 0;
  }

  private void run(Path file, String mode) throws Exception {
    List<String> script = SqlScript.statements(Files.readAllLines(file));
    choose(script);
    String url = cluster.url(1) + "&preferQueryMode=" + mode;
    try (Connection connection = DriverManager.getConnection(url)) {
      int chosen = fixed;
      for (int node = 2; node <= NODES; node++) {
        fixed = node;
        ForwardedClients.ready(connection, "", node);
      }
      fixed = chosen;
      String actual = String.join("", SqlScript.run(script, connection));
      assertEquals(Files.readString(Path.of(file.toString().replace(".sql", ".out"))), actual);
    }
  }
}
