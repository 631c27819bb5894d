package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
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

/**
 * A compute node and three storage nodes as processes, as {@code ./gauss up --processes} starts
 * them, each of which can be killed, paused and started again. Small heaps, so that five JVMs fit a
 * laptop. For one thread, but for {@link #connect}.
 */
final class ClusterProcesses implements AutoCloseable {
  static final List<Integer> STORAGE = List.of(201, 202, 203);
  private static final String STORAGE_HEAP = "-Xmx192m";
  private static final String COMPUTE_HEAP = "-Xmx384m";
  private static final long START_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(180);

  private final Path data;
  private final int port;
  private final Map<String, String> settings;
  private final Map<String, String> environment;
  private final Map<Integer, Process> restarted = new HashMap<>();
  private Process launcher;
  private Process compute;

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
    this.data = data;
    this.settings = new TreeMap<>(settings);
    this.environment = Map.copyOf(environment);
    try (ServerSocket free = new ServerSocket(0)) {
      this.port = free.getLocalPort();
    }
  }

  String url() {
    return "jdbc:gauss://127.0.0.1:" + port + "/gauss?user=gauss&socketTimeout=60";
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
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

  private Path computeDirectory() {
    return data.resolve("compute-1");
  }

  // ---- starting

  /** Starts all nodes and waits until clients can connect. */
  void start() throws IOException, InterruptedException {
    for (int node : STORAGE) {
      Path own = storageDirectory(node);
      Files.createDirectories(own);
      // Short, so that restarts begin in the middle of the log and replicas can be compared soon.
      Files.writeString(
          own.resolve("gauss.properties"), "checkpoint.seconds=1\npages.redo-memory=16MB\n");
    }
    List<String> arguments =
        new ArrayList<>(
            List.of("up", "--processes", "--storage", "3", "--data", data.toString(), "--port"));
    arguments.add(Integer.toString(port));
    addSettings(arguments);
    launcher = java(COMPUTE_HEAP, "launcher.log", arguments);
    awaitConnection(launcher);
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
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(
        List.of(
            "-XX:+UseCompactObjectHeaders",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            heap,
            "-XX:MaxDirectMemorySize=1t",
            "--enable-native-access=ALL-UNNAMED",
            "-Dlogback.configurationFile=logback.xml", // the product's, to a file of each node
            Main.class.getName()));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(data.resolve(log).toFile()));
    // Not as an option: a process learns its own options only while they are short.
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().putAll(environment);
    builder.environment().putAll(variables);
    return builder.start();
  }

  private void awaitConnection(Process starting) throws InterruptedException {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < START_TIMEOUT_NANOS) {
      if (!starting.isAlive()) {
        throw new IllegalStateException("a node did not start; see the logs in " + data);
      }
      try (Connection connection = connect()) {
        return;
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
    List<String> arguments = new ArrayList<>(List.of("start", "--role", "compute", "--data"));
    arguments.add(computeDirectory().toString());
    arguments.add("--port");
    arguments.add(Integer.toString(port));
    addSettings(arguments);
    compute = java(COMPUTE_HEAP, "compute.log", arguments);
    awaitConnection(compute);
  }

  /**
   * Puts a new storage node in the place of one, as an operator does, and waits until it has
   * everything.
   */
  void replaceStorage(int node) throws IOException, InterruptedException {
    Process add =
        java(
            STORAGE_HEAP,
            "add.log",
            List.of(
                "add",
                "--role",
                "storage",
                "--replaces",
                "" + node,
                "--data",
                data.toString(),
                "--set",
                "checkpoint.seconds=1",
                "--set",
                "pages.redo-memory=16MB"));
    restarted.remove(node);
    assertTrue(add.waitFor(180, TimeUnit.SECONDS), "the command ends");
    assertEquals(0, add.exitValue(), () -> "see " + data.resolve("add.log"));
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
    kill(compute());
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
    signal("-STOP", compute());
  }

  /** Waits until clients can connect, by a new process if this one has lost its place. */
  void resumeCompute() throws IOException, InterruptedException {
    ProcessHandle paused = compute();
    signal("-CONT", paused);
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < START_TIMEOUT_NANOS) {
      if (compute != null && !compute.isAlive()) {
        assertEquals(NodeRunner.LOST, compute.exitValue(), "the compute node's exit code");
        startCompute(); // as whoever supervises it does; one of "up" has that for itself
        return;
      }
      try (Connection connection = connect();
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
    return compute().pid();
  }

  private ProcessHandle compute() throws IOException {
    return compute != null ? compute.toHandle() : running(computeDirectory());
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
    stop(compute());
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
    process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
  }

  /** The end of all that runs, whatever state it is in. */
  @Override
  public void close() throws IOException {
    List<ProcessHandle> left = new ArrayList<>();
    find(computeDirectory()).ifPresent(left::add);
    for (int node : storageNodes()) {
      find(storageDirectory(node)).ifPresent(left::add);
    }
    restarted.values().forEach(process -> left.add(process.toHandle()));
    if (compute != null) {
      left.add(compute.toHandle());
    }
    if (launcher != null) {
      launcher.descendants().forEach(left::add);
      left.add(launcher.toHandle());
    }
    left.forEach(ProcessHandle::destroyForcibly);
    left.forEach(ClusterProcesses::awaitEnd);
  }
}
