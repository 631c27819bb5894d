package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.common.config.SettingValues;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Replaces a storage node that was lost, or is to be removed, by a new one; or starts one more
 * compute or memory node.
 */
@Command(
    name = "add",
    description = {
      "Start a new node in a cluster of processes, which serves meanwhile.",
      "A storage node comes in the place of another one: returns once it has all streams and pages"
          + " that the other one kept; after an interruption the same command continues. Compute"
          + " and memory nodes come in addition: returns once the node is up."
    },
    mixinStandardHelpOptions = true)
final class AddCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--role",
      required = true,
      converter = NodeKindConverter.class,
      description = "What the node is: ${COMPLETION-CANDIDATES}.")
  private NodeKind role;

  @Option(
      names = "--replaces",
      paramLabel = "N",
      description = "Number of the storage node that goes, which may be dead or alive.")
  private Integer replaces;

  @Option(
      names = "--port",
      paramLabel = "P",
      description = "Port of a compute node for clients (default: one that is free).")
  private Integer port;

  @Option(names = "--data", required = true, description = "Data directory of the cluster.")
  private Path data;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "A setting of the new node, see docs/settings.md. May be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Override
  public Integer call() throws Exception {
    Path directory = data.toRealPath();
    ClusterAccess access =
        ClusterAccess.find(directory)
            .orElseThrow(
                () -> new RefusedException("no cluster of processes was started in " + data));
    if (NodeDescription.read(directory).isPresent()) {
      throw new RefusedException(
          data
              + " is a node of a cluster of several machines: nodes are added and replaced by"
              + " `gauss token` and `gauss join`");
    }
    refuseWhatMakesNoSense();
    SettingValues.check(role, settings);
    PrintWriter out = spec.commandLine().getOut();
    try (MapAccess cluster = new MapAccess(access)) {
      if (role == NodeKind.STORAGE) {
        new StorageReplacement(directory, cluster, replaces, settings, out).run();
      } else {
        new NodeAddition(directory, cluster, settings, out).run(role, port);
      }
    }
    return 0;
  }

  private void refuseWhatMakesNoSense() {
    if (role == NodeKind.STORAGE && replaces == null) {
      throw new RefusedException(
          "--role storage needs --replaces: a storage node comes in the place of another one");
    }
    if (role != NodeKind.STORAGE && replaces != null) {
      throw new RefusedException("--replaces is for storage nodes");
    }
    if (role != NodeKind.COMPUTE && port != null) {
      throw new RefusedException("--port is for compute nodes");
    }
  }
}
