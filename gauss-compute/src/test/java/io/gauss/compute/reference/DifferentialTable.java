package io.gauss.compute.reference;

import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.gauss.compute.reference.PsqlScript.Step;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Compares scripts in Gauss and in PostgreSQL and counts, by topic, how many statements have the
 * same answer. Each topic has a new node and a new database.
 */
final class DifferentialTable {
  private final List<TopicComparison> topics = new ArrayList<>();

  /** Statements that both servers run before each topic, uncompared. */
  private final List<Step> setUp;

  DifferentialTable(List<Step> setUp) {
    this.setUp = List.copyOf(setUp);
  }

  List<TopicComparison> topics() {
    return List.copyOf(topics);
  }

  int count(Verdict verdict) {
    return topics.stream().mapToInt(topic -> topic.count(verdict)).sum();
  }

  void compare(String topic, List<Step> steps) throws IOException, SQLException {
    TopicComparison comparison = new TopicComparison(topic);
    ReferencePostgres reference = ReferencePostgres.get();
    String database = reference.createDatabase();
    Path data = Files.createTempDirectory("gauss-differential");
    try (ComputeNode node =
            ComputeNode.start(
                NodeSettings.load(data, 0, Map.of("pool.size", "64MB")),
                new SimpleMeterRegistry());
        Connection gauss =
            DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss&preferQueryMode=simple"
                    .formatted(node.port()));
        Connection postgres =
            DriverManager.getConnection(reference.url(database) + "&preferQueryMode=simple")) {
      for (Connection connection : List.of(gauss, postgres)) {
        prepare(connection);
      }
      comparison.run(steps, gauss, postgres);
    } finally {
      delete(data);
      reference.dropDatabase(database);
    }
    topics.add(comparison);
  }

  private void prepare(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET client_min_messages = error");
      statement.execute("SET TimeZone = 'America/Los_Angeles'");
    }
    for (Step step : setUp) {
      Answer answer = Answer.of(connection, step);
      if (answer.isError()) {
        throw new IllegalArgumentException(step.sql() + ": " + answer);
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** A row for each topic, and the sums. */
  String markdown() {
    VerdictCounts counts = new VerdictCounts();
    for (TopicComparison topic : topics) {
      for (Verdict verdict : Verdict.values()) {
        counts.add(topic.topic(), verdict, topic.count(verdict));
      }
    }
    return counts.markdown();
  }

  String differences() {
    StringBuilder text = new StringBuilder();
    for (TopicComparison topic : topics) {
      topic.differences().forEach(difference -> text.append(difference).append("\n\n"));
    }
    return text.toString();
  }
}
