package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.task.FreePorts;
import io.gauss.storage.disk.PrivateFiles;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Compute nodes, memory nodes and three storage nodes as processes, as {@code ./gauss up
 * --processes} starts them, each of which can be killed, paused and started again. Small heaps, so
 * that five JVMs fit a laptop. For one thread, but for {@link #connect}.
 */
final class ClusterProcesses implements AutoCloseable {
  static final List<Integer> STORAGE = List.of(201, 202, 203);
  private static final int ONLY_COMPUTE = 1;
  private static final int MOST_ADDED = 2;
  private static final long BALANCE_SECONDS = 300;
  private static final long COMMAND_SECONDS = 600;
  private static final long END_SECONDS = 300;
  private static final String STORAGE_HEAP = "-Xmx192m";
  private static final String COMPUTE_HEAP = "-Xmx384m";
  private static final long START_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(300);

  /** A process of a busy machine may stall for longer than the usual lease of 3 s. */
  private static final int PATIENT_LEASE_SECONDS = 30;

  private static final int USUAL_LEASE_SECONDS = 3;

  private final Path data;
  private final int port;
  private final Map<String, String> settings;
  private final Map<String, String> environment;
  private final int computeNodes;
  private final int memoryNodes;
  private final Map<Integer, Process> restarted = new HashMap<>();
  private final Map<Integer, Process> computes = new HashMap<>(); // those started again
  private int leaseSeconds = PATIENT_LEASE_SECONDS;
  private Process launcher;

  /**
   * @param data an empty directory
   * @param settings of the compute node
   */
  ClusterProcesses(Path data, Map<String, String> settings) throws IOException {
    this(data, settings, Map.of());
  }

  /** The same with variables for the processes' environment. */
  ClusterProcesses(Path data, Map<String, String> settings, Map<String, String> environment)
      throws IOException {
    this(data, settings, environment, 1, 0);
  }

  /** The same with several compute nodes, which have the numbers from 1 on, and memory nodes. */
  ClusterProcesses(
      Path data,
      Map<String, String> settings,
      Map<String, String> environment,
      int computeNodes,
      int memoryNodes)
      throws IOException {
    this.data = data;
    this.settings = new TreeMap<>(settings);
    this.environment = Map.copyOf(environment);
    this.computeNodes = computeNodes;
    this.memoryNodes = memoryNodes;
    this.port = FreePorts.consecutive(computeNodes + MOST_ADDED);
  }

  String url() {
    return url(ONLY_COMPUTE);
  }

  private String url(int compute) {
    return "jdbc:gauss://127.0.0.1:"
        + port(compute)
        + "/gauss?user=gauss&routing.mode=off&socketTimeout=60";
  }

  /** A compute node's port for clients. */
  int port(int compute) {
    return port + compute - 1;
  }

  Connection connect() throws SQLException {
    return connect(ONLY_COMPUTE);
  }

  /** To one of several compute nodes. */
  Connection connect(int compute) throws SQLException {
    return DriverManager.getConnection(url(compute));
  }

  /** Where a node keeps its data. */
  Path storageDirectory(int node) {
    return data.resolve("storage-" + node);
  }

  /** What a storage node logs, as long as it has been started in the way it was last. */
  Path storageLog(int node) {
    return restarted.containsKey(node)
        ? data.resolve("storage-" + node + ".log")
        : storageDirectory(node).resolve("gauss.log");
  }

  private Path computeDirectory(int node) {
    return data.resolve("compute-" + node);
  }

  // ---- starting

  /**
   * For tests of nodes that stand still: they lose their places as in production, also when it is
   * the machine that stalls. Before {@link #start}.
   */
  void haveUsualLease() {
    leaseSeconds = USUAL_LEASE_SECONDS;
  }

  /** Starts all nodes and waits until clients can connect. */
  void start() throws IOException, InterruptedException {
    for (int node : STORAGE) {
      Path own = storageDirectory(node);
      PrivateFiles.createDirectory(own);
      // Short, so that restarts begin in the middle of the log and replicas can be compared soon.
      Files.writeString(
          own.resolve("gauss.properties"),
          "checkpoint.seconds=1\npages.redo-memory=16MB\ncluster.lease=" + leaseSeconds + "\n");
    }
    List<String> arguments =
        new ArrayList<>(
            List.of("up", "--processes", "--storage", "3", "--data", data.toString(), "--port"));
    arguments.add(Integer.toString(port));
    arguments.addAll(List.of("--compute", "" + computeNodes, "--memory", "" + memoryNodes));
    addSettings(arguments);
    launcher = java(COMPUTE_HEAP, "launcher.log", arguments);
    for (int node = 1; node <= computeNodes; node++) {
      awaitConnection(launcher, node);
    }
  }

  private void addSettings(List<String> arguments) {
    settings.forEach(
        (name, value) -> {
          arguments.add("--set");
          arguments.add(name + "=" + value);
        });
  }

  private Process java(String heap, String log, List<String> arguments) throws IOException {
    return java(heap, log, arguments, Map.of());
  }

  private Process java(
      String heap, String log, List<String> arguments, Map<String, String> variables)
      throws IOException {
    ProcessBuilder builder = GaussCommand.process(heap, arguments, data.resolve(log));
    builder.environment().putAll(environment);
    builder.environment().putAll(variables);
    return builder.start();
  }

  private void awaitConnection(Process starting, int compute) throws InterruptedException {
    if (!isConnected(starting, compute, System.nanoTime())) {
      throw new IllegalStateException("a node did not start; see the logs in " + data);
    }
  }

  /** False when it has ended before anybody could connect, in order to be started again. */
  private boolean isConnected(Process starting, int compute, long begin)
      throws InterruptedException {
    while (System.nanoTime() - begin < START_TIMEOUT_NANOS) {
      if (!starting.isAlive() && starting.exitValue() == NodeRunner.LOST) {
        return false;
      }
      if (!starting.isAlive()) {
        throw new IllegalStateException("a node did not start; see the logs in " + data);
      }
      try (Connection connection = connect(compute)) {
        return true;
      } catch (SQLException e) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
    throw new IllegalStateException("no connection; see the logs in " + data);
  }

  /**
   * Starts a storage node that was killed, without waiting for it.
   *
   * @param more settings for this time
   */
  void startStorage(int node, String... more) throws IOException {
    startStorage(node, Map.of(), more);
  }

  /** The same with variables for the process's environment. */
  void startStorage(int node, Map<String, String> variables, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(List.of("start", "--role", "storage", "--node", "" + node, "--data"));
    arguments.add(storageDirectory(node).toString());
    for (String setting : more) {
      arguments.add("--set");
      arguments.add(setting);
    }
    restarted.put(node, java(STORAGE_HEAP, "storage-" + node + ".log", arguments, variables));
  }

  /** Waits until a storage node that was started says that it is up. */
  void awaitStorage(int node) throws IOException {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < START_TIMEOUT_NANOS) {
      long pid = storage(node).pid();
      boolean up =
          ClusterFile.read(storageDirectory(node)).stream()
              .flatMap(file -> file.nodes().stream())
              .anyMatch(known -> known.pid() == pid && known.answers());
      if (up) {
        return;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    throw new IllegalStateException("node " + node + " is not up; see the logs in " + data);
  }

  /** Starts the compute node again and waits until clients can connect. */
  void startCompute() throws IOException, InterruptedException {
    startCompute(ONLY_COMPUTE);
  }

  /** The same with one of several. */
  void startCompute(int node) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of("start", "--role", "compute", "--data"));
    arguments.add(computeDirectory(node).toString());
    arguments.add("--port");
    arguments.add(Integer.toString(port + node - 1));
    addSettings(arguments);
    long begin = System.nanoTime();
    do { // as whoever supervises it does
      computes.put(node, java(COMPUTE_HEAP, "compute-" + node + ".log", arguments));
    } while (!isConnected(computes.get(node), node, begin));
  }

  /** Starts a memory node that was killed, without waiting for it. */
  void startMemory(int node) throws IOException {
    restarted.put(
        node,
        java(
            STORAGE_HEAP,
            "memory-" + node + ".log",
            List.of(
                "start",
                "--role",
                "memory",
                "--node",
                "" + node,
                "--data",
                data.resolve("memory-" + node).toString())));
  }

  /**
   * Puts a new storage node in the place of one, as an operator does, and waits until it has
   * everything.
   */
  void replaceStorage(int node) throws IOException, InterruptedException {
    restarted.remove(node);
    run(
        "add",
        "--role",
        "storage",
        "--replaces",
        "" + node,
        "--set",
        "checkpoint.seconds=1",
        "--set",
        "pages.redo-memory=16MB");
  }

  /** Adds a compute node, where {@link #connect(int)} finds it. */
  void addCompute(int node) throws IOException, InterruptedException {
    run("add", "--role", "compute", "--port", "" + (port + node - 1));
  }

  void addMemory() throws IOException, InterruptedException {
    run("add", "--role", "memory");
  }

  void drainCompute(int node) throws IOException, InterruptedException {
    run("drain", "" + node);
  }

  void drainMemory(int node) throws IOException, InterruptedException {
    run("drain", "" + node);
  }

  /** Waits until the live memory nodes have these numbers of buckets, and none moves. */
  void awaitBuckets(Map<Integer, Integer> counts) throws IOException, InterruptedException {
    try (MapAccess map = new MapAccess(ClusterAccess.find(data).orElseThrow())) {
      boolean isSo =
          map.await(
              now -> now.buckets().moves().isEmpty() && counts.equals(buckets(now)),
              BALANCE_SECONDS);
      assertTrue(isSo, () -> "not " + counts + " but " + buckets(map.known()));
    }
  }

  private static Map<Integer, Integer> buckets(ClusterMap map) {
    return map.live(Role.MEMORY).stream()
        .collect(Collectors.toMap(MapNode::id, node -> map.buckets().count(node.id())));
  }

  /** Runs a command on this cluster, as an operator does. */
  private void run(String... command) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(List.of("--data", data.toString()));
    Process running = java(STORAGE_HEAP, "commands.log", arguments);
    assertTrue(running.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS), "the command ends");
    assertEquals(0, running.exitValue(), () -> "see " + data.resolve("commands.log"));
  }

  /** The storage nodes that there are. */
  List<Integer> storageNodes() throws IOException {
    return new NodeDirectories(data).storageNodes();
  }

  // ---- faults

  /** SIGKILL. */
  void killStorage(int node) throws IOException {
    kill(storage(node));
  }

  void killCompute() throws IOException {
    killCompute(ONLY_COMPUTE);
  }

  /** One of several compute nodes. */
  void killCompute(int node) throws IOException {
    kill(compute(node));
  }

  void killMemory(int node) throws IOException {
    Process own = restarted.get(node);
    kill(own != null ? own.toHandle() : running(data.resolve("memory-" + node)));
  }

  private static void kill(ProcessHandle process) {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** SIGSTOP: the process keeps its connections and says nothing. */
  void pauseStorage(int node) throws IOException, InterruptedException {
    signal("-STOP", storage(node));
  }

  void resumeStorage(int node) throws IOException, InterruptedException {
    signal("-CONT", storage(node));
  }

  void pauseCompute() throws IOException, InterruptedException {
    pauseCompute(ONLY_COMPUTE);
  }

  /** One of several compute nodes. */
  void pauseCompute(int node) throws IOException, InterruptedException {
    signal("-STOP", compute(node));
  }

  /** Waits until clients can connect, by a new process if this one has lost its place. */
  void resumeCompute() throws IOException, InterruptedException {
    resumeCompute(ONLY_COMPUTE);
  }

  /** One of several compute nodes. */
  void resumeCompute(int node) throws IOException, InterruptedException {
    ProcessHandle paused = compute(node);
    signal("-CONT", paused);
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < START_TIMEOUT_NANOS) {
      Process own = computes.get(node);
      if (own != null && !own.isAlive()) {
        assertEquals(NodeRunner.LOST, own.exitValue(), "the compute node's exit code");
        startCompute(node); // as whoever supervises it does; one of "up" has that for itself
        return;
      }
      try (Connection connection = connect(node);
          Statement statement = connection.createStatement()) {
        statement.execute("SELECT 1");
        return;
      } catch (SQLException e) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      }
    }
    throw new IllegalStateException("no connection; see the logs in " + data);
  }

  private static void signal(String name, ProcessHandle process)
      throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", name, Long.toString(process.pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new IOException("kill " + name + " " + process.pid() + " failed");
    }
  }

  private ProcessHandle storage(int node) throws IOException {
    Process own = restarted.get(node);
    return own != null ? own.toHandle() : running(storageDirectory(node));
  }

  /** Another one once the compute node has lost its place in the cluster and was started again. */
  long computePid() throws IOException {
    return compute(ONLY_COMPUTE).pid();
  }

  private ProcessHandle compute(int node) throws IOException {
    Process own = computes.get(node);
    return own != null ? own.toHandle() : running(computeDirectory(node));
  }

  /** The process that {@code up} has started, by what it says of itself in its directory. */
  private static ProcessHandle running(Path directory) throws IOException {
    return find(directory)
        .orElseThrow(() -> new IllegalStateException("no node runs in " + directory));
  }

  private static Optional<ProcessHandle> find(Path directory) throws IOException {
    return ClusterFile.read(directory).stream()
        .flatMap(file -> file.nodes().stream())
        .flatMap(node -> node.process().stream())
        .findFirst();
  }

  // ---- stopping

  /** Stops the compute node in order and leaves the storage nodes. */
  void stopCompute() throws IOException {
    stop(compute(ONLY_COMPUTE));
  }

  void stopStorage() throws IOException {
    List<ProcessHandle> stopping = new ArrayList<>();
    for (int node : storageNodes()) {
      stopping.add(storage(node));
    }
    stopping.forEach(ProcessHandle::destroy);
    stopping.forEach(ClusterProcesses::awaitEnd);
    launcher.toHandle().destroy();
    awaitEnd(launcher.toHandle());
  }

  private static void stop(ProcessHandle process) {
    process.destroy();
    awaitEnd(process);
  }

  private static void awaitEnd(ProcessHandle process) {
    process.onExit().orTimeout(END_SECONDS, TimeUnit.SECONDS).join();
  }

  /** The end of all that runs, whatever state it is in. */
  @Override
  public void close() throws IOException {
    List<ProcessHandle> left = new ArrayList<>();
    for (int node = 1; node <= computeNodes + MOST_ADDED; node++) {
      find(computeDirectory(node)).ifPresent(left::add);
    }
    for (int node : new NodeDirectories(data).numbers("memory")) {
      find(data.resolve("memory-" + node)).ifPresent(left::add);
    }
    for (int node : storageNodes()) {
      find(storageDirectory(node)).ifPresent(left::add);
    }
    restarted.values().forEach(process -> left.add(process.toHandle()));
    computes.values().forEach(process -> left.add(process.toHandle()));
    if (launcher != null) {
      launcher.descendants().forEach(left::add);
      left.add(launcher.toHandle());
    }
    left.forEach(ProcessHandle::destroyForcibly);
    left.forEach(ClusterProcesses::awaitEnd);
  }
}
