package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.reference.ReferencePostgres;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the scenarios in {@code src/test/resources/isolation} over JDBC, by both query protocols, in
 * Gauss and in PostgreSQL. Where PostgreSQL behaves otherwise, which the scenario says and gives
 * the reason for, its trace is in {@code isolation-postgres}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IsolationScriptsTest {
  /**
   * In PostgreSQL chance decides: who of a deadlock gives way (whose deadlock_timeout is over
   * first), and in what order those behind the first waiter get a row.
   */
  private static final Set<String> LEFT_TO_CHANCE = Set.of("deadlocks.txt", "row-lock-queue.txt");

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
  Stream<DynamicTest> scenarios() throws IOException, URISyntaxException {
    Path directory = Path.of(getClass().getResource("/isolation").toURI());
    List<Path> scripts;
    try (Stream<Path> files = Files.list(directory)) {
      scripts = files.sorted().toList();
    }
    return Stream.of("simple", "extended")
        .flatMap(
            mode ->
                Stream.concat(
                    scripts.stream()
                        .map(
                            script ->
                                DynamicTest.dynamicTest(
                                    script.getFileName() + " " + mode, () -> run(script, mode))),
                    scripts.stream()
                        .filter(script -> !LEFT_TO_CHANCE.contains(script.getFileName().toString()))
                        .map(
                            script ->
                                DynamicTest.dynamicTest(
                                    script.getFileName() + " " + mode + " in PostgreSQL",
                                    () -> runInPostgres(script, mode)))));
  }

  private void run(Path script, String mode) throws Exception {
    String url = "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss".formatted(node.port());
    run(script, script, url + "&preferQueryMode=" + mode, node.transactions()::waiting);
  }

  private void runInPostgres(Path script, String mode) throws Exception {
    URL differing = getClass().getResource("/isolation-postgres/" + script.getFileName());
    String url = ReferencePostgres.get().newDatabase();
    run(
        script,
        differing == null ? script : Path.of(differing.toURI()),
        url + "&preferQueryMode=" + mode,
        () -> waitingInPostgres(url));
  }

  private static void run(Path script, Path expected, String url, IntSupplier waiting)
      throws Exception {
    List<String> trace = new IsolationScript(url, waiting).run(Files.readAllLines(script));
    assertEquals(Files.readString(expected).strip(), String.join("\n", trace));
  }

  private static int waitingInPostgres(String url) {
    try (Connection session = DriverManager.getConnection(url);
        Statement statement = session.createStatement();
        ResultSet count =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")) {
      count.next();
      return count.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
