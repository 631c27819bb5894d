package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.compute.node.NodeSettings;
import io.gauss.memory.node.MemoryNodeSettings;
import io.gauss.server.join.ClusterAuthority;
import io.gauss.storage.disk.PrivateFiles;
import io.gauss.storage.node.StorageNodeSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Starts one node of a cluster in this process. */
@Command(
    name = "start",
    description = {
      "Start one node of a cluster. Without --role it is the one that `gauss up --advertise` or"
          + " `gauss join` has made in the directory.",
      "Its settings are in gauss.properties in its data directory, see docs/settings.md."
    },
    mixinStandardHelpOptions = true)
final class StartCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--role",
      converter = NodeKindConverter.class,
      description = "What the node is: ${COMPLETION-CANDIDATES}.")
  private NodeKind role;

  @Option(
      names = "--node",
      description =
          "The node's number in the cluster; a storage node's is one of those in storage.nodes, a"
              + " memory node's one that no other node has, a compute node's is cluster.node if"
              + " this is not given.")
  private int node;

  @Option(names = "--data", required = true, description = "The node's data directory.")
  private Path data;

  @Option(
      names = "--port",
      defaultValue = "5432",
      description = "Port of a compute node for clients (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--advertise",
      paramLabel = "HOST",
      description =
          "Name or IPv4 address by which the other machines reach the node from now on. Not with"
              + " --role.")
  private String host;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "A setting, see docs/settings.md. May be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--detach",
      description =
          "Return once the node is up; stop it by `stop`. Otherwise the command stays until Ctrl-C."
              + " Not with --role.")
  private boolean detach;

  @Override
  public Integer call() throws Exception {
    PrivateFiles.createDirectory(data);
    Path directory = data.toRealPath();
    PrivateFiles.check(directory);
    PrintWriter out = spec.commandLine().getOut();
    if (NodeDescription.read(directory).isPresent()) {
      boolean isPort = spec.commandLine().getParseResult().hasMatchedOption("--port");
      if (role != null || node != 0 || isPort) {
        throw new RefusedException(
            data + " says which node it is; start it by `gauss start --data " + data + "` alone");
      }
      prepare(directory);
      return detach ? MachineNode.runDetached(directory, out) : MachineNode.run(directory, out);
    }
    if (detach || host != null) {
      throw new RefusedException(
          "--detach and --advertise are for nodes of several machines, without --role");
    }
    if (role == null) {
      throw new RefusedException(
          "--role is missing, and " + data + " is not the directory of a node of several machines");
    }
    return switch (role) {
      case STORAGE -> {
        if (node == 0) {
          throw new RefusedException("--role storage needs --node, its number in storage.nodes");
        }
        StorageNodeSettings loaded = StorageNodeSettings.load(directory, node, settings);
        SecretFiles.check(loaded::get);
        yield new NodeRunner(directory, node, "storage")
            .run(
                loaded.get(NodeSettingTable.METRICS_ADDRESS),
                loaded.get(NodeSettingTable.METRICS_PORT),
                metrics -> RunningNode.start(loaded, metrics.registry()),
                (running, metricsPort) -> say(out, "Storage node " + node, running));
      }
      case MEMORY -> {
        if (node < 1 || node > NodeIdentity.MAX_NODE) {
          throw new RefusedException(
              "--role memory needs --node, a number from 1 to "
                  + NodeIdentity.MAX_NODE
                  + " that no other node has");
        }
        MemoryNodeSettings loaded = MemoryNodeSettings.load(directory, node, settings);
        SecretFiles.check(loaded::get);
        yield new NodeRunner(directory, node, "memory")
            .run(
                loaded.get(NodeSettingTable.METRICS_ADDRESS),
                loaded.get(NodeSettingTable.METRICS_PORT),
                metrics -> RunningNode.start(loaded, directory, metrics.registry()),
                (running, metricsPort) -> say(out, "Memory node " + node, running));
      }
      case COMPUTE -> {
        if (node != 0) {
          settings.put(NodeSettingTable.CLUSTER_NODE.name(), "" + node);
        }
        NodeSettings loaded = NodeSettings.load(directory, port, settings);
        SecretFiles.checkCompute(loaded::get);
        yield new NodeRunner(directory, loaded.node(), "compute")
            .run(
                loaded.get(NodeSettingTable.METRICS_ADDRESS),
                loaded.get(NodeSettingTable.METRICS_PORT),
                metrics -> RunningCompute.start(loaded, metrics.registry()),
                (running, metricsPort) -> say(out, "Compute node " + loaded.node(), running));
      }
    };
  }

  /** Another address, and settings, are for a node that does not run. */
  private void prepare(Path directory) throws IOException {
    NodeDescription node = NodeDescription.read(directory).orElseThrow();
    MachineDirectory machine = new MachineDirectory(directory);
    if (host != null && !host.equals(node.host())) {
      Optional<NodeProcess> running = NodeProcess.running("the node", directory);
      if (running.isPresent()) {
        throw new RefusedException("the node runs; stop it before it gets another address");
      }
      NodeDescription moved = node.at(host);
      moved.check();
      HandedSettings handed = MachineDirectory.check(moved.roles(), settings);
      new NodePorts(directory, moved, handed).check(ClusterAuthority.isIn(directory));
      machine.move(node, moved);
      node = moved;
    }
    machine.set(node, settings);
  }

  private static void say(PrintWriter out, String what, NodeRunner.Running running) {
    out.println(what + " is up at " + running.host() + ":" + running.port());
    out.flush();
  }
}
