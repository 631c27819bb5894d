package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.task.ChosenPorts;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.storage.api.StorageAddress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/**
 * A cluster on one machine in which every node is a process with its own directory.
 *
 * <p>A node's settings are in {@code gauss.properties} in its directory, so that {@code gauss
 * start} alone restarts a node that was killed. This process watches them and keeps {@code
 * nodes.json}; it ends when all of them have ended, saying which did so unasked, and stops them
 * when it is asked to end: compute nodes first, since they need the others to stop in order.
 */
final class ProcessCluster {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessCluster.class);
  private static final int FIRST_STORAGE_NODE = 201;
  private static final int FIRST_MEMORY_NODE = 101;
  private static final int LOOK_MS = 500;

  private final Path directory;
  private final NodeDirectories directories;
  private final int port;
  private final int computeNodes;
  private final int memoryNodes;
  private final int storageNodes;
  private final HandedSettings settings;
  private final List<NodeProcess> storage = new ArrayList<>();
  private final List<NodeProcess> memory = new ArrayList<>();
  private final List<NodeProcess> compute = new ArrayList<>();

  /**
   * @param port of the first compute node, for clients; the others get the following ones
   * @param settings from the command line, for the nodes of the kinds that have them
   * @throws io.gauss.common.error.GaussException 42704 for a setting that no node has, 22023 for an
   *     invalid value
   */
  ProcessCluster(
      Path directory,
      int port,
      int computeNodes,
      int memoryNodes,
      int storageNodes,
      Map<String, String> settings) {
    this.directory = directory;
    this.directories = new NodeDirectories(directory);
    this.port = port;
    this.computeNodes = computeNodes;
    this.memoryNodes = memoryNodes;
    this.storageNodes = storageNodes;
    this.settings =
        new HandedSettings(
            settings,
            Map.of(
                NodeKind.COMPUTE, computeNodes,
                NodeKind.MEMORY, memoryNodes,
                NodeKind.STORAGE, storageNodes));
  }

  /**
   * Starts all nodes and returns when they have ended.
   *
   * @return the process's exit code: 0 when they were asked to, by this process or by others
   */
  int run(PrintWriter out) throws IOException, InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  asked.countDown();
                  NodeRunner.awaitUninterruptibly(ended);
                },
                "shutdown"));
    try {
      start();
      announce(out);
      int exitCode = watch(asked) ? 0 : CommandLine.ExitCode.SOFTWARE;
      System.err.println("gauss: stopping");
      return exitCode;
    } finally {
      try {
        compute.forEach(NodeProcess::stop);
        memory.forEach(NodeProcess::stop);
        storage.forEach(NodeProcess::stop);
        new ClusterFile(List.of()).write(directory);
        System.err.println("gauss: stopped");
      } finally {
        ended.countDown(); // whatever failed: the process waits for this to end
      }
    }
  }

  private void start() throws IOException, InterruptedException {
    ClusterKeyFile.ensure(directories.key());
    List<StorageAddress> addresses = addresses();
    Map<String, String> shared = new HashMap<>();
    shared.put(NodeSettingTable.CLUSTER_KEY.name(), directories.key().toString());
    shared.put(NodeSettingTable.STORAGE_NODES.name(), NodeDirectories.text(addresses));
    for (StorageAddress address : addresses) {
      Path own = directories.storage(address.node());
      Map<String, String> ofStorage = new HashMap<>(shared);
      ofStorage.putAll(settings.of(NodeKind.STORAGE));
      NodeDirectories.save(own, ofStorage);
      storage.add(
          NodeProcess.start(
              "storage node " + address.node(),
              own,
              NodeDirectories.startArguments(address.node(), own)));
    }
    for (NodeProcess node : storage) {
      node.awaitUp();
    }
    startMemory(shared);
    // One after the other: the first one creates the catalog of a new database.
    for (int number = 1; number <= computeNodes; number++) {
      startCompute(number, shared).awaitUp();
    }
    writeNodes();
  }

  private NodeProcess startCompute(int number, Map<String, String> shared) throws IOException {
    Path own = directories.compute(number);
    Map<String, String> ofCompute = new HashMap<>(shared);
    ofCompute.put(NodeSettingTable.CLUSTER_NODE.name(), Integer.toString(number));
    NodeDirectories.save(own, ofCompute);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "start",
                "--role",
                "compute",
                "--data",
                "" + own,
                "--port",
                "" + (port + number - 1)));
    settings
        .of(NodeKind.COMPUTE)
        .forEach(
            (name, value) -> {
              arguments.add("--set");
              arguments.add(name + "=" + value);
            });
    NodeProcess started = NodeProcess.start("compute node " + number, own, arguments);
    compute.add(started);
    return started;
  }

  /** Memory nodes keep nothing, so their number may differ from the last time. */
  private void startMemory(Map<String, String> shared) throws IOException, InterruptedException {
    Map<String, String> ofMemory = new HashMap<>(shared);
    ofMemory.putAll(settings.of(NodeKind.MEMORY));
    for (int i = 0; i < memoryNodes; i++) {
      int number = FIRST_MEMORY_NODE + i;
      Path own = directories.memory(number);
      NodeDirectories.save(own, ofMemory);
      memory.add(
          NodeProcess.start(
              "memory node " + number,
              own,
              List.of("start", "--role", "memory", "--node", "" + number, "--data", "" + own)));
    }
    for (NodeProcess node : memory) {
      node.awaitUp();
    }
  }

  /** The addresses of the last time, if there was one, since the Raft groups know them. */
  private List<StorageAddress> addresses() throws IOException {
    Optional<List<StorageAddress>> before = directories.addresses();
    if (before.isPresent()) {
      List<StorageAddress> known = before.get();
      if (known.size() != storageNodes) {
        throw new RefusedException(
            "--storage %d: the cluster in %s has %d"
                .formatted(storageNodes, directory, known.size()));
      }
      return known;
    }
    List<StorageAddress> addresses = new ArrayList<>();
    for (int i = 0; i < storageNodes; i++) {
      addresses.add(
          new StorageAddress(
              FIRST_STORAGE_NODE + i, NodeDirectories.HOST, ChosenPorts.one(), ChosenPorts.one()));
    }
    return addresses;
  }

  /** Returns false when all nodes have ended, and some of them unasked. */
  private boolean watch(CountDownLatch asked) throws IOException, InterruptedException {
    RotatedLog log = new RotatedLog(directory);
    String failure = "";
    while (!asked.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
      try {
        log.rotateIfLarge();
        followAdded();
        for (NodeProcess node : all()) {
          node.restartIfLost();
        }
        writeNodes();
        failure = "";
      } catch (IOException e) {
        // A full disk, for example: no reason to stop what runs.
        if (!failure.equals(e.toString())) {
          failure = e.toString();
          LOG.warn("the nodes cannot be looked after: {}", failure);
        }
      }
      if (all().stream().noneMatch(ProcessCluster::runs)) {
        return saysWhichEndedUnasked();
      }
    }
    return true;
  }

  private boolean saysWhichEndedUnasked() throws IOException {
    boolean inOrder = true;
    for (NodeProcess node : all()) {
      if (!node.hasStoppedInOrder()) {
        inOrder = false;
        System.err.println("gauss: " + node + " has ended unasked; see " + node.log());
      }
    }
    return inOrder;
  }

  /**
   * Takes in nodes that {@code gauss add} has started, and drops storage nodes that it has
   * replaced.
   */
  private void followAdded() throws IOException {
    storage.removeIf(node -> !Files.isDirectory(node.directory()));
    adopt("storage", storage);
    adopt("memory", memory);
    adopt("compute", compute);
  }

  private void adopt(String role, List<NodeProcess> known) throws IOException {
    for (int number : directories.numbers(role)) {
      Path own = directory.resolve(role + "-" + number);
      if (known.stream().noneMatch(node -> node.directory().equals(own))) {
        NodeProcess.running(role + " node " + number, own).ifPresent(known::add);
      }
    }
  }

  private static boolean runs(NodeProcess node) {
    try {
      return node.runs();
    } catch (IOException e) {
      LOG.warn("a node's state cannot be read: {}", e.toString());
      return true;
    }
  }

  private List<NodeProcess> all() {
    List<NodeProcess> all = new ArrayList<>(compute);
    all.addAll(memory);
    all.addAll(storage);
    return all;
  }

  private void writeNodes() throws IOException {
    List<ClusterFile.Node> nodes = new ArrayList<>();
    for (NodeProcess process : all()) {
      process.node().ifPresent(nodes::add);
    }
    ClusterFile now = new ClusterFile(nodes, ClusterFile.Watcher.thisProcess());
    if (!now.equals(ClusterFile.read(directory).orElse(null))) {
      now.write(directory);
    }
  }

  private void announce(PrintWriter out) {
    out.println();
    out.println(
        "Gauss is up: %s, %s%d storage nodes. Data: %s"
            .formatted(
                computeNodes == 1 ? "1 compute node" : computeNodes + " compute nodes",
                memoryNodes == 0 ? "" : memoryNodes + " memory nodes, ",
                storageNodes,
                directory));
    for (int number = 0; number < computeNodes; number++) {
      out.println("  JDBC:  jdbc:gauss://127.0.0.1:" + (port + number) + "/gauss?user=gauss");
    }
    out.println("  psql:  psql -h 127.0.0.1 -p " + port + " -U gauss gauss");
    out.println("  Nodes: ./gauss status --data " + directory);
    out.println("  Stop:  Ctrl-C, or ./gauss down --data " + directory);
    out.flush();
  }
}
