package io.gauss.server.chaos;

import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.storage.disk.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The processes of a cluster, with small heaps, so that eight fit a laptop. Those that have lost
 * their place are started again, as {@code ./gauss up} does.
 *
 * <p>One thread starts all of them, and lives as long as this: the system kills them when it ends.
 */
final class ChaosCluster implements Servers, AutoCloseable {
  static final int START_SECONDS = 120;
  private static final String PASSWORD = "chaos";
  private static final Map<String, String> HEAPS =
      Map.of("compute", "-Xmx320m", "memory", "-Xmx160m", "storage", "-Xmx192m");

  private static final int LOOK_MS = 200;

  private final Path directory;
  private final Shape shape;
  private final Machine machine;
  private final Map<Integer, NodeUnit> nodes = new TreeMap<>();
  private final ExecutorService starter =
      Executors.newSingleThreadExecutor(
          run -> {
            Thread thread = new Thread(run, "starter");
            thread.setDaemon(true);
            return thread;
          });
  private final Thread watcher = new Thread(this::watch, "watcher");
  private volatile boolean isClosed;

  /**
   * @param java the command line of {@code gauss}, up to its main class
   */
  ChaosCluster(Path directory, Shape shape, Machine machine, List<String> java) throws IOException {
    this.directory = directory;
    this.shape = shape;
    this.machine = machine;
    PrivateFiles.createDirectory(directory.resolve("logs"));
    ClusterKeyFile.ensure(key());
    Path password = directory.resolve("password");
    Files.writeString(password, PASSWORD + "\n");
    for (int node : shape.allNodes()) {
      Path own = own(node);
      PrivateFiles.createDirectory(own);
      if (Shape.role(node).equals("storage")) {
        machine.prepareDisk(own);
      }
      Files.writeString(own.resolve("gauss.properties"), settings(node, password));
      nodes.put(node, new NodeUnit(node, command(node, java), log(node)));
    }
    watcher.setDaemon(true);
  }

  private Path key() {
    return directory.resolve(ClusterKeyFile.NAME);
  }

  Path own(int node) {
    return directory.resolve(Shape.role(node) + "-" + node);
  }

  private Path log(int node) {
    return directory.resolve("logs").resolve(Shape.role(node) + "-" + node + ".log");
  }

  private String settings(int node, Path password) throws IOException {
    List<String> addresses = new ArrayList<>();
    for (int storage : shape.storageNodes()) {
      addresses.add(
          "%d@%s:%d:%d"
              .formatted(
                  storage,
                  machine.address(storage),
                  machine.port(storage, Machine.Port.PEERS),
                  machine.port(storage, Machine.Port.RAFT)));
    }
    Map<String, String> settings = new TreeMap<>();
    settings.put("storage.nodes", String.join(",", addresses));
    settings.put("cluster.key", key().toString());
    settings.put("peer.plaintext", "on");
    switch (Shape.role(node)) {
      case "storage" -> {
        settings.put("checkpoint.seconds", "5");
        settings.put("pages.redo-memory", "16MB");
      }
      case "memory" -> {
        settings.put("peer.address", machine.address(node));
        settings.put("directory.entries", "50000");
        settings.put("cache.size", "16MB");
      }
      default -> {
        settings.put("cluster.node", Integer.toString(node));
        settings.put("peer.address", machine.address(node));
        settings.put("listen.address", machine.address(node));
        settings.put("auth.password-file", password.toString());
        settings.put("pool.size", "32MB");
      }
    }
    return settings.entrySet().stream()
        .map(each -> each.getKey() + "=" + each.getValue() + "\n")
        .collect(Collectors.joining());
  }

  private List<String> command(int node, List<String> java) throws IOException {
    String role = Shape.role(node);
    List<String> command = new ArrayList<>(Isolation.diesWithItsParent());
    command.addAll(machine.prefix(node));
    command.addAll(java.subList(0, java.size() - 1));
    command.addAll(
        List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms32m", HEAPS.get(role)));
    command.add(java.getLast());
    command.addAll(List.of("start", "--role", role, "--node", Integer.toString(node)));
    command.addAll(List.of("--data", own(node).toString()));
    if (role.equals("compute")) {
      command.addAll(List.of("--port", "" + machine.port(node, Machine.Port.CLIENTS)));
    }
    return command;
  }

  Path directory() {
    return directory;
  }

  Shape shape() {
    return shape;
  }

  Machine machine() {
    return machine;
  }

  NodeUnit node(int number) {
    return nodes.get(number);
  }

  List<NodeUnit> nodes() {
    return List.copyOf(nodes.values());
  }

  @Override
  public List<Integer> computeNodes() {
    return shape.computeNodes();
  }

  @Override
  public List<Integer> possibleComputeNodes() {
    return shape.computeNodes();
  }

  @Override
  public Connection connect(int compute) throws SQLException {
    try {
      return DriverManager.getConnection(
          "jdbc:postgresql://%s:%d/gauss?user=gauss&password=%s&connectTimeout=5&loginTimeout=20&socketTimeout=90"
              .formatted(
                  machine.address(compute), machine.port(compute, Machine.Port.CLIENTS), PASSWORD));
    } catch (IOException e) {
      throw new SQLException(e);
    }
  }

  // ---- processes

  /** Starts all nodes of a new cluster, and returns when clients can connect to each. */
  void start() throws IOException {
    startAndAwait(shape.storageNodes());
    startAndAwait(shape.memoryNodes());
    for (int node : shape.computeNodes()) {
      startAndAwait(List.of(node)); // the first one makes the catalog
    }
    watcher.start();
  }

  private void startAndAwait(List<Integer> numbers) throws IOException {
    for (int node : numbers) {
      start(node);
    }
    for (int node : numbers) {
      awaitUp(node);
    }
  }

  /** Starts the process of a node, without waiting for it. */
  void start(int node) throws IOException {
    try {
      starter
          .submit(
              () -> {
                nodes.get(node).start();
                return null;
              })
          .get();
    } catch (ExecutionException | InterruptedException e) {
      throw new IOException(nodes.get(node) + " cannot be started", e);
    }
  }

  /** Waits until a node says that it is up. */
  void awaitUp(int node) throws IOException {
    NodeUnit unit = nodes.get(node);
    if (!Waits.await(START_SECONDS, () -> unit.isUp() || isEnded(unit)) || isEnded(unit)) {
      throw new IOException(unit + " does not start; see " + log(node));
    }
  }

  private static boolean isEnded(NodeUnit unit) {
    return !unit.isAlive() && !unit.hasGivenUp();
  }

  private void watch() {
    while (!isClosed) {
      for (NodeUnit unit : nodes.values()) {
        if (unit.hasGivenUp()) {
          try {
            start(unit.number());
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        }
      }
      Waits.sleep(LOOK_MS);
    }
  }

  /** Nodes that ended although nobody has killed or drained them, with the reason in their logs. */
  List<String> unexpectedEnds() {
    return nodes.values().stream()
        .filter(unit -> unit.isWanted() && !unit.isAlive() && !unit.hasGivenUp())
        .map(unit -> unit + " has ended by itself; see " + log(unit.number()))
        .toList();
  }

  /** Kills all that runs. */
  @Override
  public void close() {
    isClosed = true;
    nodes.values().forEach(NodeUnit::leave);
    // First: it may be just about to start one, which would be missed.
    starter.shutdownNow();
    try {
      starter.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    nodes.values().stream().filter(NodeUnit::isAlive).forEach(NodeUnit::kill);
  }
}
