package io.gauss.server;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Has a compute node end its sessions when they are idle, or a memory node give its buckets to the
 * others, and leave the cluster.
 */
@Command(
    name = "drain",
    description = {
      "Take a compute or memory node out of a cluster while the others serve.",
      "A compute node takes no more connections; its sessions end with 57P01 when they are idle"
          + " outside a transaction, or after drain.grace. A memory node's buckets move to the"
          + " others, some at a time. Returns once it is gone."
    },
    mixinStandardHelpOptions = true)
final class DrainCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NODE", description = "Number of the node.")
  private int number;

  @Option(names = "--data", required = true, description = "Data directory of the cluster.")
  private Path data;

  @Override
  public Integer call() throws Exception {
    ClusterAccess access =
        ClusterAccess.find(data.toRealPath())
            .orElseThrow(
                () -> new RefusedException("no cluster of processes was started in " + data));
    try (MapAccess cluster = new MapAccess(access)) {
      new NodeDrain(cluster, this::say).run(number);
    }
    return 0;
  }

  private void say(String what) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(what);
    out.flush();
  }
}
