package io.gauss.server;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Stops the cluster of a data directory. */
@Command(
    name = "down",
    description = "Stop the cluster of a data directory.",
    mixinStandardHelpOptions = true)
final class DownCommand implements Callable<Integer> {
  @Option(names = "--data", required = true, description = "Data directory.")
  private Path data;

  @Option(
      names = "--timeout",
      defaultValue = "60",
      description = "Seconds to wait for the end (default: ${DEFAULT-VALUE}).")
  private int timeoutSeconds;

  @Override
  public Integer call() throws Exception {
    ClusterFile cluster =
        ClusterFile.find(data)
            .orElseThrow(() -> new RefusedException("no cluster was started in " + data));
    boolean stopped = false;
    for (ClusterFile.Node node : cluster.nodes()) {
      if (node.process().isEmpty()) {
        continue;
      }
      ProcessHandle process = node.process().get();
      process.destroy();
      try {
        process.onExit().get(timeoutSeconds, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        System.err.printf(
            "gauss: node %d (pid %d) is still running after %d s%n",
            node.id(), node.pid(), timeoutSeconds);
        return 1;
      }
      stopped = true;
    }
    System.err.println(stopped ? "gauss: stopped" : "gauss: was not running");
    return 0;
  }
}
