package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.reference.Recording;
import io.gauss.compute.reference.ReferencePostgres;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
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
 * PostgreSQL 15 (in {@code src/test/resources/jdbc}; to record it, see {@link Recording}).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MetaDataTest {
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
  void theDriverSeesWhatItSeesOfPostgres(String options) throws SQLException, IOException {
    Path recorded = recorded(options);
    String ofPostgres;
    try (Connection postgres =
        DriverManager.getConnection(ReferencePostgres.get().newDatabase() + options)) {
      ofPostgres = MetaDataReport.of(postgres);
    }
    if (Recording.isWanted()) {
      Files.writeString(recorded, ofPostgres);
    }
    assertEquals(Files.readString(recorded), ofPostgres, "what is recorded is not PostgreSQL's");
    String url = "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss".formatted(node.port());
    try (Connection gauss = DriverManager.getConnection(url + options)) {
      String actual = MetaDataReport.of(gauss);
      Path kept = Path.of("target", "jdbc").resolve(recorded.getFileName());
      Files.createDirectories(kept.getParent());
      Files.writeString(kept, actual);
      assertEquals(ofPostgres, actual);
    }
  }

  private static Path recorded(String options) {
    return Recording.path("/jdbc/metadata" + options.replaceAll("[^a-zA-Z]+", "-") + ".out");
  }
}
