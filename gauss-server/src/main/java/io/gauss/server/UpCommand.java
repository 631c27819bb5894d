package io.gauss.server;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.compute.node.NodeSettings;
import io.gauss.storage.disk.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Starts a cluster on this machine: one compute node with its log and page store in this process,
 * or, with {@code --processes}, a process for each node. With {@code --advertise} it is the first
 * node of a cluster of several machines.
 */
@Command(
    name = "up",
    description = {
      "Start an embedded cluster and stay in the foreground until Ctrl-C.",
      "Without --processes it is one compute node that keeps log and pages itself; with --advertise"
          + " the first node of a cluster of several machines, which others join."
    },
    mixinStandardHelpOptions = true)
final class UpCommand implements Callable<Integer> {
  private static final long GOING_WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final int POLL_MS = 100;
  private static final int TOKEN_MINUTES = 60;
  private static final int MOST_STORAGE_NODES = 5;
  private static final int MOST_MEMORY_NODES = 8;
  private static final int MOST_COMPUTE_NODES = 8;

  @Spec private CommandSpec spec;

  @Option(names = "--data", description = "Data directory, created when missing (default: ./data).")
  private Path data = Path.of("data");

  @Option(
      names = "--port",
      defaultValue = "5432",
      description = "Port of compute node 1; node i listens on port + i - 1 (${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--compute",
      defaultValue = "1",
      description = "Compute nodes; more than one with --processes and --memory.")
  private int compute;

  @Option(names = "--memory", defaultValue = "0", description = "Memory nodes, with --processes.")
  private int memory;

  @Option(names = "--storage", defaultValue = "0", description = "Storage nodes, with --processes.")
  private int storage;

  @Option(names = "--processes", description = "One process per node.")
  private boolean processes;

  @Option(names = "--detach", description = "Return once the cluster is up; stop it by `down`.")
  private boolean detach;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "A node setting, see docs/settings.md. May be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--tokens",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Also print N commands with which other machines join, each good once, for an hour; with"
              + " --advertise and --detach.")
  private int tokens;

  private boolean isMachine;

  @Mixin private MachineOptions machine;

  @Override
  public Integer call() throws Exception {
    refuseWhatIsNotThere();
    PrivateFiles.createDirectory(data);
    Path directory = data.toRealPath();
    PrivateFiles.check(directory);
    refuseWhileOneRuns(directory);
    isMachine = foundMachine(directory);
    if (tokens != 0 && !isMachine) {
      throw new RefusedException("--tokens is for nodes of several machines: add --advertise");
    }
    if (isMachine && detach) {
      int code = MachineNode.runDetached(directory, spec.commandLine().getOut());
      printTokens(directory);
      return code;
    }
    return detach ? runDetached(directory) : run(directory);
  }

  private void printTokens(Path directory) throws IOException {
    if (tokens > 0) {
      JoinTokens given = JoinTokens.of(directory, TOKEN_MINUTES);
      var out = spec.commandLine().getOut();
      out.println("On other machines, each command good once, until " + given.expires() + ":");
      for (int i = 0; i < tokens; i++) {
        out.println("  " + given.command(given.give().text()));
      }
      out.flush();
    }
  }

  /** A process that was killed or asked to stop may take a moment to end. */
  private void refuseWhileOneRuns(Path directory) throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (true) {
      Optional<ClusterFile.Node> running = running(directory);
      if (running.isEmpty()) {
        return;
      }
      if (running.get().answers() || System.nanoTime() - start > GOING_WAIT_NANOS) {
        throw new RefusedException(
            "a cluster runs in %s already (pid %d); stop it by `gauss down --data %s`"
                .formatted(directory, running.get().pid(), data));
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  private static Optional<ClusterFile.Node> running(Path directory) throws IOException {
    return ClusterFile.find(directory).stream()
        .flatMap(cluster -> cluster.nodes().stream())
        .filter(node -> node.process().isPresent())
        .findAny();
  }

  /** Whether this is a node of a cluster of several machines; a first one is made. */
  private boolean foundMachine(Path directory) throws IOException {
    Optional<NodeDescription> known = NodeDescription.read(directory);
    if (!machine.areGiven() && known.isEmpty()) {
      return false;
    }
    if (processes) {
      throw new RefusedException("a node of a cluster of several machines has no --processes");
    }
    if (known.isEmpty()) {
      NewMachine first = machine.machine(port, 0, settings);
      first.checkFirst();
      first.checkPorts(directory, true);
      first.found(directory);
    } else {
      boolean isPort = spec.commandLine().getParseResult().hasMatchedOption("--port");
      machine.checkSame(known.get(), isPort ? port : null);
      new MachineDirectory(directory).set(known.get(), settings);
    }
    return true;
  }

  private void refuseWhatIsNotThere() {
    if (tokens < 0 || tokens > NodeDescription.MOST_NODES) {
      throw new RefusedException("--tokens " + tokens + ": 0 to " + NodeDescription.MOST_NODES);
    }
    if (tokens != 0 && !detach) {
      throw new RefusedException(
          "--tokens is for --detach: what a service prints is logged; use `gauss token`");
    }
    if (compute < 1 || compute > MOST_COMPUTE_NODES) {
      throw new RefusedException("--compute " + compute + ": 1 to " + MOST_COMPUTE_NODES);
    }
    if (compute != 1 && memory == 0) {
      throw new RefusedException(
          "--compute "
              + compute
              + ": several compute nodes share their pages through memory nodes; add --memory,"
              + " --processes and --storage");
    }
    if (memory < 0 || memory > MOST_MEMORY_NODES) {
      throw new RefusedException("--memory " + memory + ": 0 to " + MOST_MEMORY_NODES);
    }
    if (memory != 0 && !processes) {
      throw new RefusedException(
          "--memory "
              + memory
              + ": memory nodes are processes of their own; add --processes and --storage");
    }
    if (storage != 0 && !processes) {
      throw new RefusedException(
          "--storage "
              + storage
              + ": storage nodes are processes of their own; add --processes, or leave both out for"
              + " a compute node that keeps log and pages itself");
    }
    if (processes && (storage < 1 || storage > MOST_STORAGE_NODES || storage % 2 == 0)) {
      throw new RefusedException(
          "--processes needs --storage 1, 3 or 5: storage nodes decide by majority");
    }
  }

  private int run(Path directory) throws IOException, InterruptedException {
    if (processes) {
      return new ProcessCluster(directory, port, compute, memory, storage, settings)
          .run(spec.commandLine().getOut());
    }
    if (isMachine) {
      return MachineNode.run(directory, spec.commandLine().getOut());
    }
    NodeSettings nodeSettings = NodeSettings.load(directory, port, settings);
    SecretFiles.checkCompute(nodeSettings::get);
    return new NodeRunner(directory, 1, "compute")
        .run(
            nodeSettings.get(NodeSettingTable.METRICS_ADDRESS),
            nodeSettings.get(NodeSettingTable.METRICS_PORT),
            metrics -> RunningCompute.start(nodeSettings, metrics.registry()),
            this::announce);
  }

  private void announce(NodeRunner.Running node, int metricsPort) {
    var out = spec.commandLine().getOut();
    out.println();
    out.println("Gauss is up. Data: " + data);
    out.println("  JDBC:  " + url("gauss", node.host(), node.port()));
    out.println("         " + url("postgresql", node.host(), node.port()));
    out.println("  psql:  psql -h " + node.host() + " -p " + node.port() + " -U gauss gauss");
    if (metricsPort != 0) {
      out.println("  Metrics: port " + metricsPort + ", /metrics, /health and /ready");
    }
    out.println("  Stop:  Ctrl-C, or ./gauss down --data " + data);
    out.flush();
  }

  /** An IPv6 address gets brackets. */
  private static String url(String driver, String host, int port) {
    String shown = host.contains(":") ? "[" + host + "]" : host;
    return "jdbc:%s://%s:%d/gauss?user=gauss".formatted(driver, shown, port);
  }

  private int runDetached(Path directory) throws IOException, InterruptedException {
    Path log = directory.resolve(RotatedLog.NAME);
    List<String> command = new ArrayList<>();
    ProcessHandle.Info self = ProcessHandle.current().info();
    command.add(self.command().orElseThrow());
    for (String argument : self.arguments().orElseThrow()) {
      if (argument.equals(NodeProcess.OPTIONS_LEFT_OUT)) {
        NodeProcess.addLeftOutOptions(command);
      } else if (!argument.equals("--detach")) {
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
      // With a process for each node the file names these, and this process watches them.
      if (node != null && (processes || node.pid() == process.pid()) && node.answers()) {
        var out = spec.commandLine().getOut();
        out.println("Gauss is up (pid " + process.pid() + "). Log: " + log);
        out.println("  JDBC:  " + url("gauss", node.host(), node.port()));
        out.println("  psql:  psql -h " + node.host() + " -p " + node.port() + " -U gauss gauss");
        out.println("  Stop:  ./gauss down --data " + data);
        out.flush();
        return 0;
      }
      process.waitFor(POLL_MS, TimeUnit.MILLISECONDS);
    }
    throw new IllegalStateException("the cluster did not start; see " + log);
  }
}
