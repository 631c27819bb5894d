package io.gauss.server;

import io.gauss.common.transport.Transport;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Puts a new storage node in the place of one that was lost, or is to go. */
@Command(
    name = "add",
    description = {
      "Start a new storage node in a cluster of processes, in the place of another one.",
      "Returns once it has all streams and pages that the other one kept. The cluster serves"
          + " meanwhile. After an interruption the same command goes on."
    },
    mixinStandardHelpOptions = true)
final class AddCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--role",
      required = true,
      description = "What the node is: ${COMPLETION-CANDIDATES}.")
  private Role role;

  /** What a node can be. */
  enum Role {
    storage
  }

  @Option(
      names = "--replaces",
      required = true,
      paramLabel = "N",
      description = "Number of the storage node that goes, which may be dead or alive.")
  private int replaces;

  @Option(names = "--data", required = true, description = "Data directory of the cluster.")
  private Path data;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "A setting of the new node, see docs/operations.md. May be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Override
  public Integer call() throws Exception {
    Path directory = data.toRealPath();
    ClusterAccess access =
        ClusterAccess.find(directory)
            .orElseThrow(
                () -> new RefusedException("no cluster of processes was started in " + data));
    try (Transport transport = access.connect();
        StorageReplacement replacement =
            new StorageReplacement(
                directory, access, transport, replaces, settings, spec.commandLine().getOut())) {
      replacement.run();
    }
    return 0;
  }
}
