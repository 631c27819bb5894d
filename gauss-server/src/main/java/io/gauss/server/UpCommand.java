package io.gauss.server;

import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Starts an embedded cluster: in this version one compute node with its log and page store, in this
 * process.
 */
@Command(
    name = "up",
    description = {
      "Start an embedded cluster and stay in the foreground until Ctrl-C.",
      "In this version the cluster is one compute node with a local log and page store."
    },
    mixinStandardHelpOptions = true)
final class UpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--data", description = "Data directory, created when missing (default: ./data).")
  private Path data = Path.of("data");

  @Option(
      names = "--port",
      defaultValue = "5432",
      description = "Port of compute node 1; node i listens on port + i - 1 (${DEFAULT-VALUE}).")
  private int port;

  @Option(names = "--compute", defaultValue = "1", description = "Compute nodes (only 1).")
  private int compute;

  @Option(names = "--memory", defaultValue = "0", description = "Memory nodes (only 0).")
  private int memory;

  @Option(names = "--storage", defaultValue = "0", description = "Storage nodes (only 0).")
  private int storage;

  @Option(names = "--processes", description = "One process per node (not in this version).")
  private boolean processes;

  @Option(names = "--detach", description = "Return once the cluster is up; stop it by `down`.")
  private boolean detach;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "A node setting, see docs/operations.md. May be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Override
  public Integer call() throws Exception {
    refuseWhatIsNotThere();
    Files.createDirectories(data);
    Path directory = data.toRealPath();
    ClusterFile.read(directory)
        .ifPresent(
            cluster ->
                cluster.nodes().stream()
                    .filter(node -> node.process().isPresent())
                    .findAny()
                    .ifPresent(
                        node -> {
                          throw new RefusedException(
                              "a cluster runs in %s already (pid %d); stop it by `gauss down --data %s`"
                                  .formatted(directory, node.pid(), data));
                        }));
    return detach ? runDetached(directory) : run(directory);
  }

  private void refuseWhatIsNotThere() {
    if (compute != 1) {
      throw new RefusedException(
          "--compute "
              + compute
              + ": this version runs exactly one compute node; several primaries need the memory"
              + " tier");
    }
    if (memory != 0) {
      throw new RefusedException("--memory " + memory + ": this version has no memory nodes");
    }
    if (storage != 0) {
      throw new RefusedException(
          "--storage "
              + storage
              + ": this version has no storage nodes; the compute node keeps log and pages itself");
    }
    if (processes) {
      throw new RefusedException(
          "--processes: this version has one node, which is one process already");
    }
  }

  private int run(Path directory) throws IOException {
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    ComputeNode node =
        ComputeNode.start(NodeSettings.load(directory, port, settings), NodeMetrics.registry());
    try {
      new ClusterFile(List.of(ClusterFile.thisProcess(1, "compute", "127.0.0.1", node.port())))
          .write(directory);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    asked.countDown();
                    awaitUninterruptibly(ended);
                  },
                  "shutdown"));
      announce(node);
      awaitUninterruptibly(asked);
      System.err.println("gauss: stopping");
    } finally {
      node.close();
      new ClusterFile(List.of()).write(directory);
      System.err.println("gauss: stopped");
      ended.countDown();
    }
    return 0;
  }

  private void announce(ComputeNode node) {
    var out = spec.commandLine().getOut();
    out.println();
    out.println("Gauss is up. Data: " + data);
    out.println("  JDBC:  jdbc:gauss://127.0.0.1:" + node.port() + "/gauss?user=gauss");
    out.println("         jdbc:postgresql://127.0.0.1:" + node.port() + "/gauss?user=gauss");
    out.println("  psql:  psql -h 127.0.0.1 -p " + node.port() + " -U gauss gauss");
    out.println("  Stop:  Ctrl-C, or ./gauss down --data " + data);
    out.flush();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private int runDetached(Path directory) throws IOException, InterruptedException {
    Path log = directory.resolve("gauss.log");
    List<String> command = new ArrayList<>();
    ProcessHandle.Info self = ProcessHandle.current().info();
    command.add(self.command().orElseThrow());
    for (String argument : self.arguments().orElseThrow()) {
      if (!argument.equals("--detach")) {
        command.add(argument);
      }
    }
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    while (process.isAlive()) {
      ClusterFile.Node node =
          ClusterFile.read(directory)
              .flatMap(cluster -> cluster.nodes().stream().findFirst())
              .orElse(null);
      if (node != null && node.pid() == process.pid() && node.state().equals("UP")) {
        var out = spec.commandLine().getOut();
        out.println("Gauss is up (pid " + process.pid() + "). Log: " + log);
        out.println("  JDBC:  jdbc:gauss://127.0.0.1:" + node.port() + "/gauss?user=gauss");
        out.println("  psql:  psql -h 127.0.0.1 -p " + node.port() + " -U gauss gauss");
        out.println("  Stop:  ./gauss down --data " + data);
        out.flush();
        return 0;
      }
      process.waitFor(100, java.util.concurrent.TimeUnit.MILLISECONDS);
    }
    throw new IllegalStateException("the cluster did not start; see " + log);
  }
}
