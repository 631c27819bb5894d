package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.reference.ReferencePostgres;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * pgjdbc's metadata, generated keys and batches, compared with what the same driver gets from a
 * PostgreSQL 15 (in {@code src/test/resources/jdbc/metadata.out}, recorded as {@link
 * SqlScriptsTest} says, by a superuser called gauss).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MetaDataTest {
  private static final String RECORD = System.getProperty("gauss.expectations.url");

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

  @ParameterizedTest
  @ValueSource(strings = {"", "&reWriteBatchedInserts=true", "&prepareThreshold=1"})
  void theDriverSeesWhatItSeesOfPostgres(String options)
      throws SQLException, IOException, URISyntaxException {
    String name = "metadata" + options.replaceAll("[^a-zA-Z]+", "-") + ".out";
    if (RECORD != null) {
      try (Connection postgres = DriverManager.getConnection(RECORD + options)) {
        Files.writeString(Path.of("src/test/resources/jdbc", name), MetaDataReport.of(postgres));
      }
    }
    String url = "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss".formatted(node.port());
    try (Connection gauss = DriverManager.getConnection(url + options)) {
      String actual = MetaDataReport.of(gauss);
      Path kept = Path.of("target", "jdbc", name);
      Files.createDirectories(kept.getParent());
      Files.writeString(kept, actual);
      Path expected =
          RECORD != null
              ? Path.of("src/test/resources/jdbc", name)
              : Path.of(getClass().getResource("/jdbc/" + name).toURI());
      assertEquals(Files.readString(expected), actual);
    }
  }

  /** The recorded answers are what a PostgreSQL gives today. */
  @ParameterizedTest
  @ValueSource(strings = {"", "&reWriteBatchedInserts=true", "&prepareThreshold=1"})
  void postgresStillAnswersSo(String options) throws SQLException, IOException, URISyntaxException {
    String name = "metadata" + options.replaceAll("[^a-zA-Z]+", "-") + ".out";
    String url = ReferencePostgres.get().newDatabase() + options;
    try (Connection postgres = DriverManager.getConnection(url)) {
      assertEquals(
          Files.readString(Path.of(getClass().getResource("/jdbc/" + name).toURI())),
          MetaDataReport.of(postgres));
    }
  }
}
