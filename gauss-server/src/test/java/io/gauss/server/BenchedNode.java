package io.gauss.server;

import io.gauss.compute.node.CheckedNode;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A compute node in this process, on which {@code ./gauss bench} runs. */
final class BenchedNode implements AutoCloseable {
  private final ComputeNode node;

  BenchedNode(Path data) {
    node =
        ComputeNode.start(
            NodeSettings.load(data, 0, Map.of("pool.size", "16MB")), new SimpleMeterRegistry());
  }

  /**
   * Runs the command on this node.
   *
   * @param load words after {@code bench}, separated by blanks
   */
  Commands.Outcome bench(String load, List<String> options) {
    List<String> arguments = new ArrayList<>(List.of("bench"));
    arguments.addAll(List.of(load.split(" ")));
    arguments.addAll(List.of("--port", Integer.toString(node.port())));
    arguments.addAll(options);
    return Commands.run(arguments.toArray(String[]::new));
  }

  @Override
  public void close() {
    CheckedNode.close(node);
  }
}
