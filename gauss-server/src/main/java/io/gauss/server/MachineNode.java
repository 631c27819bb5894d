package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.common.config.NodeSetting;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.config.SettingValues;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.task.CloseStack;
import io.gauss.common.transport.tcp.NodesOfProcess;
import io.gauss.compute.node.NodeSettings;
import io.gauss.memory.node.MemoryNodeSettings;
import io.gauss.server.join.ClusterAuthority;
import io.gauss.server.join.JoinServer;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.disk.DataDirectory;
import io.gauss.storage.disk.PrivateFiles;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.node.StorageNodeSettings;
import io.gauss.storage.remote.StatusClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node of this machine in a cluster of several machines: all its roles in this process, each
 * with a directory of its own below that of the node.
 *
 * <p>Roles start from the bottom up (storage, memory, compute), and end the other way. Before
 * memory and compute start, storage has its share of the cluster's streams, so that what the node
 * then writes has all its copies. One role that has lost its place ends the process, to be started
 * again; one that was drained ends alone. They talk to each other within the JVM.
 *
 * <p>Start and close are for one thread; the rest is thread-safe.
 */
final class MachineNode implements NodeRunner.Running {
  private static final Logger LOG = LoggerFactory.getLogger(MachineNode.class);
  private static final String UP = "UP";

  private final NodeDescription node;
  private final CloseStack opened;
  private final List<Part> parts = new CopyOnWriteArrayList<>();
  private final NodesOfProcess process = new NodesOfProcess();
  private final CompletableFuture<String> lost = new CompletableFuture<>();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();

  /** A role that runs. */
  private static final class Part implements AutoCloseable {
    private final NodeKind role;
    private final NodeRunner.Running running;
    private boolean closed;

    Part(NodeKind role, NodeRunner.Running running) {
      this.role = role;
      this.running = running;
    }

    /** Whoever comes second waits for the first: the roles below are needed until it has ended. */
    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        running.close();
      }
    }
  }

  private MachineNode(NodeDescription node, CloseStack opened) {
    this.node = node;
    this.opened = opened;
  }

  /**
   * Runs the node of a directory until it is stopped by a signal or has lost its place.
   *
   * @return the process's exit code
   * @throws RefusedException when the directory is not that of such a node
   */
  static int run(Path data, PrintWriter out) throws IOException {
    NodeDescription node =
        NodeDescription.read(data)
            .orElseThrow(() -> new RefusedException(data + " is not the directory of a node"));
    SettingValues settings = settingsOfMetrics(node, data);
    return new NodeRunner(data, node.node(), "node")
        .run(
            settings.get(NodeSettingTable.METRICS_ADDRESS),
            settings.get(NodeSettingTable.METRICS_PORT),
            metrics -> start(data, role -> metrics.registry(role.toString())),
            (running, port) -> announce(node, data, running, out));
  }

  /**
   * The same in a process of its own; returns when the node is up.
   *
   * @throws RefusedException when it runs already
   * @throws IllegalStateException when it does not start
   */
  static int runDetached(Path data, PrintWriter out) throws IOException, InterruptedException {
    Optional<NodeProcess> running = NodeProcess.running("the node", data);
    if (running.isPresent()) {
      throw new RefusedException(
          "the node in %s runs already (pid %d)"
              .formatted(data, running.get().node().map(ClusterFile.Node::pid).orElse(0L)));
    }
    ClusterFile.Node up =
        NodeProcess.start("the node", data, List.of("start", "--data", data.toString())).awaitUp();
    NodeDescription node = NodeDescription.read(data).orElseThrow();
    out.println(
        "Node %d is up (pid %d): %s. Log: %s"
            .formatted(
                node.node(),
                up.pid(),
                String.join(", ", node.roleNames()),
                data.resolve(RotatedLog.NAME)));
    tellWhatNext(node, data, up.host(), up.port(), out);
    out.println("  Stop:  ./gauss stop --data " + data);
    out.flush();
    return 0;
  }

  /** Those of the role that has its metrics' port. */
  private static SettingValues settingsOfMetrics(NodeDescription node, Path data) {
    NodeKind first = node.roles().iterator().next();
    return SettingValues.load(first, new MachineDirectory(data).of(node, first), Map.of());
  }

  private static void announce(
      NodeDescription node, Path data, NodeRunner.Running running, PrintWriter out) {
    out.println();
    out.println(
        "Node %d is up: %s. Data: %s"
            .formatted(node.node(), String.join(", ", node.roleNames()), data));
    tellWhatNext(node, data, running.host(), running.port(), out);
    out.println("  Stop:  Ctrl-C, or ./gauss stop --data " + data);
    out.flush();
  }

  /**
   * @param host where clients of this machine connect, with the port, if the node computes
   */
  private static void tellWhatNext(
      NodeDescription node, Path data, String host, int port, PrintWriter out) {
    if (node.has(NodeKind.COMPUTE)) {
      out.println("  psql:  psql -h %s -p %d -U gauss gauss".formatted(host, port));
      String listens =
          SettingValues.load(
                  NodeKind.COMPUTE, new MachineDirectory(data).of(node, NodeKind.COMPUTE), Map.of())
              .get(NodeSettingTable.LISTEN_ADDRESS);
      if (isLoopback(listens) && !isLoopback(node.host())) {
        out.println(
            "         Clients of other machines cannot connect: that needs --set"
                + " listen.address=0.0.0.0 and a password, see docs/operations.md");
      }
    }
    if (ClusterAuthority.isIn(data)) {
      out.println("  More nodes: ./gauss token --data " + data);
    }
    out.println("  Nodes: ./gauss status --data " + data);
  }

  private static boolean isLoopback(String host) {
    InetAddress address = new InetSocketAddress(host, 0).getAddress();
    return address != null && address.isLoopbackAddress();
  }

  /**
   * Starts all roles and returns when they serve.
   *
   * @param registries for the metrics of each role
   * @throws GaussException 55006 when another process has the directory, and as the roles' starts
   */
  static MachineNode start(Path data, Function<NodeKind, MeterRegistry> registries) {
    CloseStack opened = new CloseStack("node");
    try {
      NodeDescription description = NodeDescription.read(data).orElseThrow();
      opened.add(DataDirectory.take(data));
      PrivateFiles.check(data);
      new MachineDirectory(data).settle(description);
      MachineNode node = new MachineNode(description, opened);
      node.startRoles(data, registries);
      if (ClusterAuthority.isIn(data)) {
        node.takeOthersIn(data);
      }
      return node;
    } catch (IOException e) {
      GaussException failure =
          new GaussException(SqlState.IO_ERROR, "cannot use " + data + ": " + e, e);
      opened.closeAfter(failure);
      throw failure;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      GaussException failure =
          new GaussException(SqlState.ADMIN_SHUTDOWN, "interrupted while starting", e);
      opened.closeAfter(failure);
      throw failure;
    } catch (RuntimeException | Error e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  private void startRoles(Path data, Function<NodeKind, MeterRegistry> registries)
      throws IOException, InterruptedException {
    MachineDirectory directory = new MachineDirectory(data);
    if (node.has(NodeKind.STORAGE)) {
      Path own = directory.of(node, NodeKind.STORAGE);
      StorageNodeSettings settings =
          StorageNodeSettings.load(own, node.number(NodeKind.STORAGE), Map.of());
      SecretFiles.check(settings::get);
      add(
          NodeKind.STORAGE,
          RunningNode.start(settings, registries.apply(NodeKind.STORAGE), process));
    }
    List<StorageAddress> storage = joinStorage(data, directory);
    if (node.has(NodeKind.MEMORY)) {
      Path own = directory.of(node, NodeKind.MEMORY);
      MemoryNodeSettings settings =
          MemoryNodeSettings.load(own, node.number(NodeKind.MEMORY), Map.of());
      SecretFiles.check(settings::get);
      add(
          NodeKind.MEMORY,
          RunningNode.start(settings, own, registries.apply(NodeKind.MEMORY), process));
    }
    if (node.has(NodeKind.COMPUTE)) {
      Path own = directory.of(node, NodeKind.COMPUTE);
      NodeSettings settings = NodeSettings.load(own, node.clientPort(), Map.of());
      SecretFiles.checkCompute(settings::get);
      add(
          NodeKind.COMPUTE,
          RunningCompute.start(settings, registries.apply(NodeKind.COMPUTE), process));
    }
    opened.add(NotedStorage.start(data, node, storage)); // last, so that it ends first
  }

  /**
   * Waits for the cluster, and lets the node's storage have its share of it.
   *
   * @return the storage nodes
   */
  private List<StorageAddress> joinStorage(Path data, MachineDirectory directory)
      throws IOException, InterruptedException {
    NodeKind any = node.roles().iterator().next();
    ClusterAccess access = ClusterAccess.find(directory.of(node, any)).orElseThrow();
    try (MapAccess cluster = new MapAccess(access);
        StatusClient status = new StatusClient(cluster.transport(), access.nodes())) {
      StreamShares shares =
          new StreamShares(
              JoinedCluster.of(cluster, status), what -> LOG.info("waiting: {}", what));
      shares.awaitLeader();
      checkNotRemoved(cluster.known());
      if (node.has(NodeKind.STORAGE)) {
        int replaces = node.replaces();
        shares.take(
            node.number(NodeKind.STORAGE),
            node.joins(),
            replaces == 0 ? 0 : NodeDescription.number(replaces, NodeKind.STORAGE));
        if (replaces != 0) {
          LOG.info("the storage of node {} has taken the place of node {}", node.node(), replaces);
        }
      }
      if (node.joins()) {
        node.complete().write(data);
      }
      List<StorageAddress> storage = StreamShares.storageNodes(cluster.known());
      directory.rememberStorage(node, storage);
      return storage;
    }
  }

  /** Its numbers do not come back: it would wait for ever to be let in. */
  private void checkNotRemoved(ClusterMap map) {
    boolean isRemoved =
        node.roles().stream()
            .flatMap(role -> map.node(node.number(role)).stream())
            .anyMatch(member -> member.state() == NodeState.REMOVED);
    if (isRemoved) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "node "
              + node.node()
              + " was removed from the cluster (gauss remove); a new one joins with an empty"
              + " directory");
    }
  }

  private void takeOthersIn(Path data) throws IOException {
    MachineDirectory directory = new MachineDirectory(data);
    opened.add(
        JoinServer.start(
            new InetSocketAddress(listen(directory), node.joinPort()),
            directory.credentials(),
            new Admission(data, node)::admit));
  }

  private String listen(MachineDirectory directory) {
    NodeKind any = node.roles().iterator().next();
    NodeSetting<String> listen = NodeSettingTable.PEER_LISTEN;
    return SettingValues.load(any, directory.of(node, any), Map.of()).textOr(listen, node.host());
  }

  private void add(NodeKind role, NodeRunner.Running running) {
    Part part = opened.add(new Part(role, running));
    parts.add(part);
    running.lost().thenAccept(why -> lost.complete(role + ": " + why));
    // Told on a thread that must not wait.
    running.drained().thenRun(() -> Thread.ofPlatform().name("drained").start(() -> end(part)));
  }

  /** The role has nothing to do any more; the others stay. */
  private void end(Part part) {
    LOG.info("{} was drained: this role ends until the node is started again", part.role);
    parts.remove(part);
    part.close();
    if (parts.isEmpty()) {
      drained.complete(null);
    }
  }

  /** Connections among the roles that did not need the network, since the start. */
  long connectionsWithin() {
    return process.connections();
  }

  private Optional<Part> part(NodeKind role) {
    return parts.stream().filter(part -> part.role == role).findAny();
  }

  private NodeRunner.Running outermost() {
    return part(NodeKind.COMPUTE)
        .or(() -> part(NodeKind.STORAGE))
        .or(() -> part(NodeKind.MEMORY))
        .map(part -> part.running)
        .orElseThrow();
  }

  @Override
  public String host() {
    return outermost().host();
  }

  @Override
  public int port() {
    return outermost().port();
  }

  @Override
  public String state() {
    String problems =
        parts.stream()
            .filter(part -> !part.running.state().equals(UP))
            .map(part -> part.role + " " + part.running.state())
            .collect(Collectors.joining("; "));
    return problems.isEmpty() ? UP : "degraded: " + problems;
  }

  @Override
  public List<ClusterFile.Node> report(int id, String role) {
    // As they stop; the first one tells whether the node is up.
    return List.of(NodeKind.values()).stream()
        .flatMap(kind -> part(kind).stream())
        .map(this::report)
        .toList();
  }

  private ClusterFile.Node report(Part part) {
    return ClusterFile.thisProcess(
            node.number(part.role),
            part.role.name().toLowerCase(Locale.ROOT),
            part.running.host(),
            part.running.port())
        .withHealth(part.running.state());
  }

  @Override
  public boolean isReady() {
    return parts.stream().allMatch(part -> part.running.isReady());
  }

  @Override
  public CompletableFuture<String> lost() {
    return lost;
  }

  @Override
  public CompletableFuture<Void> drained() {
    return drained;
  }

  @Override
  public void close() {
    opened.close();
  }
}
