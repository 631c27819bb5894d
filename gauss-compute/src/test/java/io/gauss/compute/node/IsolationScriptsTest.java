package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the scenarios in {@code src/test/resources/isolation} over JDBC, by both query protocols.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IsolationScriptsTest {
  private ComputeNode node;

  @BeforeAll
  void start(@TempDir Path data) {
    node =
        ComputeNode.start(
            NodeSettings.load(data, 0, Map.of("pool.size", "16MB")), new SimpleMeterRegistry());
  }

  @AfterAll
  void stop() {
    node.close();
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
                scripts.stream()
                    .map(
                        script ->
                            DynamicTest.dynamicTest(
                                script.getFileName() + " " + mode, () -> run(script, mode))));
  }

  private void run(Path script, String mode) throws Exception {
    String postgres = System.getProperty("gauss.expectations.url");
    String url =
        postgres != null
            ? postgres + "&preferQueryMode=" + mode
            : "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss&preferQueryMode=%s"
                .formatted(node.port(), mode);
    IntSupplier waiting =
        postgres != null ? () -> waitingInPostgres(postgres) : node.transactions()::waiting;
    List<String> lines = Files.readAllLines(script);
    List<String> trace = new IsolationScript(url, waiting).run(lines);
    assertEquals(String.join("\n", lines), String.join("\n", trace));
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
