package io.gauss.compute.node;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A node for a test, with what tests do by JDBC. */
final class OneNode implements AutoCloseable {
  final ComputeNode node;
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  OneNode(Path data) {
    this(data, Map.of());
  }

  /**
   * @param more settings beside a small pool, or with another one
   */
  OneNode(Path data, Map<String, String> more) {
    this(NodeSettings.load(data, 0, withSmallPool(more)));
  }

  OneNode(NodeSettings settings) {
    node = ComputeNode.start(settings, registry);
  }

  OneNode(NodeSettings settings, Membership.Transports transports) {
    node = ComputeNode.start(settings, registry, transports);
  }

  /**
   * @param completed is told of each phase of the start when it is complete
   */
  OneNode(NodeSettings settings, Consumer<ComputeNode.Phase> completed) {
    node = ComputeNode.start(settings, registry, Membership.Transports.tcp(settings), completed);
  }

  private static Map<String, String> withSmallPool(Map<String, String> more) {
    Map<String, String> settings = new TreeMap<>(more);
    settings.putIfAbsent("pool.size", "16MB");
    return settings;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss".formatted(node.port()));
  }

  void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }

  /** Rows as text, columns separated by a bar. */
  List<String> query(String text) throws SQLException {
    try (Connection connection = connect()) {
      return query(connection, text);
    }
  }

  static List<String> query(Connection connection, String text) throws SQLException {
    List<String> result = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(text)) {
      while (rows.next()) {
        StringJoiner row = new StringJoiner("|");
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.add(String.valueOf(rows.getString(i)));
        }
        result.add(row.toString());
      }
    }
    return result;
  }

  /** Compares the pages in memory with all the stores'. */
  void check() {
    CheckedNode.check(node);
  }

  @Override
  public void close() {
    CheckedNode.close(node);
  }
}
