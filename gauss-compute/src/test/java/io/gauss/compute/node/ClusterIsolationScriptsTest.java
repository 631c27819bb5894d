package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.txn.WaitCounts;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * The scenarios in {@code src/test/resources/isolation} with each session on another compute node:
 * they go as on one, which goes as in PostgreSQL ({@link IsolationScriptsTest}).
 */
@Timeout(600)
class ClusterIsolationScriptsTest extends OnThreeNodes {

  /**
   * Who of a deadlock is the youngest goes by clocks of nodes that need not go in step; and those
   * behind the first waiter for a row continue to wait at the node that got it, in the order in
   * which they come there.
   */
  private static final Set<String> LEFT_TO_CHANCE =
      Set.of(
          "advisory-deadlocks.txt",
          "deadlocks.txt",
          "foreign-keys-and-changed-keys.txt",
          "row-lock-queue.txt");

  @TestFactory
  Stream<DynamicTest> scenarios() throws IOException, URISyntaxException {
    Path directory = Path.of(getClass().getResource("/isolation").toURI());
    List<Path> scripts;
    try (Stream<Path> files = Files.list(directory)) {
      scripts =
          files
              .filter(file -> !LEFT_TO_CHANCE.contains(file.getFileName().toString()))
              .sorted()
              .toList();
    }
    return scripts.stream()
        .map(script -> DynamicTest.dynamicTest(script.getFileName().toString(), () -> run(script)));
  }

  private void run(Path script) throws Exception {
    Map<String, Integer> numbers = new HashMap<>();
    IsolationScript running =
        new IsolationScript(
            session ->
                cluster.url(numbers.computeIfAbsent(session, name -> numbers.size() % NODES + 1)),
            this::waiting);
    List<String> trace = running.run(Files.readAllLines(script));
    assertEquals(Files.readString(script).strip(), String.join("\n", trace));
  }

  private int waiting() {
    return WaitCounts.standing(
        cluster.numbers().stream()
            .map(number -> cluster.compute(number).node.transactions())
            .toList());
  }
}
