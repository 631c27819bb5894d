package io.gauss.compute.pgwire;

import io.gauss.compute.node.CheckedNode;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A compute node in this process for the tests of a class. */
final class GaussNode implements WireServer, BeforeAllCallback, AfterAllCallback {
  private final Map<String, String> settings;
  private Path data;
  private ComputeNode node;

  GaussNode() {
    this(Map.of());
  }

  /**
   * @param more settings of the node, beside a small pool
   */
  GaussNode(Map<String, String> more) {
    settings = new TreeMap<>(more);
    settings.put("pool.size", "16MB");
  }

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    data = Files.createTempDirectory("gauss-wire");
    node = ComputeNode.start(NodeSettings.load(data, 0, settings), new SimpleMeterRegistry());
  }

  @Override
  public int port() {
    return node.port();
  }

  @Override
  public String database() {
    return "gauss";
  }

  @Override
  public boolean isGauss() {
    return true;
  }

  PgServer server() {
    return CheckedNode.server(node);
  }

  @Override
  public int waiting() {
    return node.transactions().waiting();
  }

  ComputeNode node() {
    return node;
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    CheckedNode.close(node);
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
