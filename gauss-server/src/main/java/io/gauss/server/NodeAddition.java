package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.task.ChosenPorts;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Role;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Starts one more compute or memory node of a cluster of processes on this machine, with a number
 * that no node has had. For one thread.
 */
final class NodeAddition {
  private static final int MOST_OF_A_ROLE = 100; // 1 to 100 compute nodes, 101 to 200 memory nodes

  private final NodeDirectories directories;
  private final MapAccess cluster;
  private final Map<String, String> settings;
  private final PrintWriter out;

  /**
   * @param settings of the new node
   */
  NodeAddition(Path directory, MapAccess cluster, Map<String, String> settings, PrintWriter out) {
    this.directories = new NodeDirectories(directory);
    this.cluster = cluster;
    this.settings = settings;
    this.out = out;
  }

  /**
   * Returns when the node is up.
   *
   * @param port of a compute node; null = any free one
   * @throws RefusedException when such a node is not possible
   */
  void run(NodeKind role, Integer port) throws IOException, InterruptedException {
    ClusterMap map = cluster.map();
    boolean computes = role == NodeKind.COMPUTE;
    if (computes && map.live(Role.MEMORY).isEmpty()) {
      throw new RefusedException(
          "several compute nodes share their pages through memory nodes, and none is there; start"
              + " one by `gauss add --role memory`, and the compute node anew");
    }
    int first = computes ? 1 : MOST_OF_A_ROLE + 1;
    int number = unused(map, role.toString(), first);
    Path own = computes ? directories.compute(number) : directories.memory(number);
    Map<String, String> properties = new TreeMap<>(directories.shared());
    properties.putAll(settings);
    List<String> arguments = new ArrayList<>(List.of("start", "--role", role.toString(), "--data"));
    arguments.add(own.toString());
    if (computes) {
      properties.put(NodeSettingTable.CLUSTER_NODE.name(), Integer.toString(number));
      arguments.addAll(
          List.of("--port", Integer.toString(port == null ? ChosenPorts.one() : port)));
    } else {
      arguments.addAll(List.of("--node", Integer.toString(number)));
    }
    NodeDirectories.save(own, properties);
    ClusterFile.Node up = NodeProcess.start(role + " node " + number, own, arguments).awaitUp();
    out.println("%s node %d is up at %s:%d".formatted(role, number, up.host(), up.port()));
    out.flush();
  }

  private int unused(ClusterMap map, String role, int first) throws IOException {
    int next = first;
    for (int known : directories.numbers(role)) {
      next = Math.max(next, known + 1);
    }
    for (int known : map.nodes().keySet()) {
      next = known < first + MOST_OF_A_ROLE ? Math.max(next, known + 1) : next;
    }
    if (next >= first + MOST_OF_A_ROLE) {
      throw new RefusedException("all numbers of " + role + " nodes have been used");
    }
    return next;
  }
}
