package io.gauss.compute.node;

import io.gauss.storage.node.StorageNodes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How sessions end on a node whose log has failed, so that they cannot even be rolled back. */
class SessionEndWithoutLogTest {
  @TempDir private Path data;

  private static double sessions(SimpleMeterRegistry registry) {
    return registry.get("gauss.sessions.open").gauge().value();
  }

  /** What is dropped at the end of a session is dropped by a transaction of its own. */
  @Test
  @Timeout(300)
  void oneWithTemporaryTablesAndAnOpenTransactionEndsAndTheNodeContinues() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    NodeSettings settings = NodeSettings.load(data, 0, Map.of("pool.size", "16MB"));
    try (ComputeNode node = ComputeNode.start(settings, registry)) {
      String url = "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss".formatted(node.port());
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE t (a int)");
        statement.execute("CREATE TEMPORARY TABLE u (a int)");
        statement.execute("BEGIN");
        statement.execute("INSERT INTO t VALUES (1)");
        node.engine().log().fail(new IOException("no disk"));
      }
      StorageNodes.await("the session has ended", () -> sessions(registry) == 0);
      // Its thread may be done before the event loop has closed the connection.
      StorageNodes.await("its connection is closed", () -> node.server().connections() == 0);
    }
  }
}
