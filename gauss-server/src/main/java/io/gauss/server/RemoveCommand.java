package io.gauss.server;

import io.gauss.storage.remote.StatusClient;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Takes the node of a machine out of a cluster of several machines for good. */
@Command(
    name = "remove",
    description = {
      "Take the node of a machine out of a cluster of several machines for good, while the others"
          + " serve; it may be lost. Its roles are drained, what it keeps is kept by the others"
          + " alone, and its number does not come back.",
      "Returns once it is gone. If it is interrupted, the same command continues."
    },
    mixinStandardHelpOptions = true)
final class RemoveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NODE", description = "Number of the machine's node, 1 to 55.")
  private int number;

  @Option(names = "--data", required = true, description = "Data directory of any machine's node.")
  private Path data;

  @Option(
      names = "--fewer-copies",
      description = "Go on with two copies, both of which have to answer.")
  private boolean fewerCopies;

  @Override
  public Integer call() throws Exception {
    Path directory = data.toRealPath();
    if (NodeDescription.read(directory).isEmpty()) {
      throw new RefusedException(data + " is not the directory of a node of several machines");
    }
    if (number < 1 || number > NodeDescription.MOST_NODES) {
      throw new RefusedException("nodes have numbers from 1 to " + NodeDescription.MOST_NODES);
    }
    ClusterAccess access = ClusterAccess.find(directory).orElseThrow();
    try (MapAccess cluster = new MapAccess(access);
        StatusClient status = new StatusClient(cluster.transport(), access.nodes())) {
      new NodeRemoval(cluster, status, number, this::say).run(fewerCopies);
    }
    return 0;
  }

  private void say(String what) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(what);
    out.flush();
  }
}
