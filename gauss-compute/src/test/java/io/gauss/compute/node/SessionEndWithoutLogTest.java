package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
  @Timeout(value = 120, unit = TimeUnit.SECONDS)
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
      while (sessions(registry) != 0) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
      assertEquals(0, node.server().connections());
    }
  }
}
