package io.gauss.jdbc.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.gauss.compute.reference.ReferencePostgres;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** This driver shows applications what pgjdbc shows them, on PostgreSQL and on Gauss. */
class DriverDifferentialTest {
  private static final int ENOUGH = 150;
  private static String reference;

  private static List<String> transcript(String url) throws Exception {
    try (Connection connection = DriverManager.getConnection(url)) {
      List<String> transcript = new JdbcScript(connection).run();
      assertTrue(transcript.size() > ENOUGH, () -> String.join("\n", transcript));
      return transcript;
    }
  }

  /** What pgjdbc shows on PostgreSQL. */
  private static synchronized String reference() throws Exception {
    if (reference == null) {
      reference = of(transcript(ReferencePostgres.get().newDatabase()));
    }
    return reference;
  }

  private static String of(List<String> transcript) {
    return String.join("\n", transcript);
  }

  @Test
  void onPostgres() throws Exception {
    ReferencePostgres postgres = ReferencePostgres.get();
    String database = postgres.newDatabase();
    assertEquals(reference(), of(transcript(database.replace("jdbc:postgresql:", "jdbc:gauss:"))));
  }

  /** Through two gates, every transaction at random through one of them. */
  @Test
  void onPostgresWithTransactionsSprayedOverTwoNodes() throws Exception {
    ReferencePostgres postgres = ReferencePostgres.get();
    String database = postgres.createDatabase();
    try (Gate first = new Gate(postgres.port());
        Gate second = new Gate(postgres.port())) {
      String url = "jdbc:gauss://127.0.0.1:%d,127.0.0.1:%d/%s?user=gauss&routing.mode=random";
      assertEquals(
          reference(), of(transcript(url.formatted(first.port(), second.port(), database))));
      assertTrue(first.accepted() > 0 && second.accepted() > 0);
    }
  }

  @Test
  void onGauss(@TempDir Path one, @TempDir Path other) throws Exception {
    List<String> pgjdbc;
    try (ComputeNode node = start(one)) {
      pgjdbc = transcript(url("jdbc:postgresql://127.0.0.1:%d/gauss", node.port()));
    }
    try (ComputeNode node = start(other);
        Gate first = new Gate(node.port());
        Gate second = new Gate(node.port())) {
      String hosts = "jdbc:gauss://127.0.0.1:%d,127.0.0.1:%d/gauss";
      String url = url(hosts, first.port(), second.port()) + "&routing.mode=random";
      assertEquals(of(pgjdbc), of(transcript(url + "&routing.discover=false")));
    }
  }

  private static String url(String pattern, Object... ports) {
    return pattern.formatted(ports) + "?user=gauss";
  }

  private static ComputeNode start(Path data) {
    return ComputeNode.start(
        NodeSettings.load(data, 0, Map.of("pool.size", "16MB")), new SimpleMeterRegistry());
  }
}
