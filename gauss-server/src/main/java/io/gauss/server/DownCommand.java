package io.gauss.server;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Stops the cluster of a data directory. */
@Command(
    name = "down",
    aliases = "stop",
    description = {
      "Stop the cluster of a data directory; of a cluster of several machines, the node on this"
          + " one."
    },
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
      if (node.process().isEmpty()) { // also when it was a role of a process that has ended
        continue;
      }
      ProcessHandle process = node.process().get();
      process.destroy();
      if (!hasEnded(process, "node " + node.id())) {
        return 1;
      }
      stopped = true;
    }
    // It still writes down that they have ended: whoever then removes the directory, or starts the
    // next cluster there, would meet it.
    Optional<ProcessHandle> watcher =
        Optional.ofNullable(cluster.watcher()).flatMap(ClusterFile.Watcher::process);
    if (watcher.isPresent() && !hasEnded(watcher.get(), "the process that started them")) {
      return 1;
    }
    System.err.println(stopped ? "gauss: stopped" : "gauss: was not running");
    return 0;
  }

  private boolean hasEnded(ProcessHandle process, String what)
      throws ExecutionException, InterruptedException {
    try {
      process.onExit().get(timeoutSeconds, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      System.err.printf(
          "gauss: %s (pid %d) is still running after %d s%n", what, process.pid(), timeoutSeconds);
      return false;
    }
  }
}
