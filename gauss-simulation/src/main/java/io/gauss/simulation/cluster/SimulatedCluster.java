package io.gauss.simulation.cluster;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.error.GaussException;
import io.gauss.common.page.PageLayout;
import io.gauss.common.runtime.Environment;
import io.gauss.common.runtime.InOrder;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.NodeAddress;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.gauss.memory.node.MemoryNode;
import io.gauss.memory.node.MemoryNodeSettings;
import io.gauss.simulation.SimulatedNetwork;
import io.gauss.simulation.SimulatedNode;
import io.gauss.simulation.Simulation;
import io.gauss.simulation.storage.LogFaults;
import io.gauss.simulation.storage.SimulatedStorage;
import io.gauss.simulation.storage.SimulatedStorageNode;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.service.Prober;
import io.gauss.storage.node.StoragePlatform;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The product's storage, memory and compute nodes in a simulation, each of which is a process that
 * can be killed, paused and cut off. Whoever ends is started again, as a supervisor does it.
 *
 * <p>All methods are for threads of no node.
 */
final class SimulatedCluster {
  static final int FIRST_MEMORY = 101;
  static final int FIRST_STORAGE = 201;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Simulation simulation;
  private final Path directory;
  private final Size size;
  private final Map<String, String> computeSettings;
  private final SimulatedNetwork network;
  private final SimulatedStorage storage;
  private final List<StorageAddress> addresses = new ArrayList<>();
  private final Map<Integer, Member> members = new TreeMap<>();

  /** Threads that wait for an answer of a node to its clients, by the node's number. */
  private final Map<Integer, Thread> answerWaits = new TreeMap<>();

  private Operator operator;
  private boolean ended;

  /**
   * @param computes compute nodes, counted from 1
   * @param memories memory nodes, counted from 101
   * @param storages storage nodes, counted from 201
   * @param frames pages that the pool of a compute node has room for
   * @param entries pages that a memory node knows of at a time
   */
  record Size(int computes, int memories, int storages, int frames, int entries) {}

  /** A node with its present process. */
  private static final class Member {
    private final int number;
    private int life;
    private ClusterProcess process; // null = not started
    private boolean hasEnded; // its process has to be replaced
    private boolean mayStart = true;
    private ComputeNode compute;
    private MemoryNode memory;
    private SimulatedStorageNode disk;

    private Member(int number) {
      this.number = number;
    }
  }

  /**
   * @param directory for what nodes write beside log and pages
   * @param settings of a new cluster
   * @param computeSettings where they differ from the defaults
   */
  SimulatedCluster(
      Simulation simulation,
      Path directory,
      Size size,
      Map<String, String> settings,
      Map<String, String> computeSettings) {
    this.simulation = simulation;
    this.computeSettings = InOrder.copyOf(computeSettings);
    this.directory = directory;
    this.size = size;
    this.network = new SimulatedNetwork(simulation, new SimulatedNetwork.Delay(20_000, 200_000));
    for (int i = 0; i < size.storages(); i++) {
      addresses.add(new StorageAddress(FIRST_STORAGE + i, "127.0.0.1", 7001 + i, 7101 + i));
    }
    try {
      Files.writeString(
          keyFile(),
          "cluster.id = 00000000-0000-0000-0000-000000000001\ncluster.secret = "
              + "5a".repeat(32)
              + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.storage =
        new SimulatedStorage(
            addresses,
            ClusterKeyFile.read(keyFile()),
            settings,
            network::reaches,
            LogFaults.none());
    storage.ports(this::prober);
    for (StorageAddress address : addresses) {
      Member member = new Member(address.node());
      member.disk = new SimulatedStorageNode(storage, address.node(), network::transport);
      members.put(member.number, member);
    }
    for (int i = 0; i < size.memories(); i++) {
      members.put(FIRST_MEMORY + i, new Member(FIRST_MEMORY + i));
    }
    for (int i = 1; i <= size.computes(); i++) {
      members.put(i, new Member(i));
    }
  }

  /** How a storage node asks for the ports of others. */
  private Prober prober(int of) {
    return node -> {
      Endpoint at = node.endpoint(Endpoint.Purpose.PEER).orElse(null);
      CompletableFuture<Prober.Found> found = new CompletableFuture<>();
      Environment.after(
          StoragePlatform.PROBE_MILLIS,
          TimeUnit.MILLISECONDS,
          "probed-too-long",
          () -> found.complete(Prober.Found.SILENT));
      if (at != null) {
        network.knock(
            of,
            node.id(),
            new NodeAddress(at.host(), at.port()),
            is -> found.complete(is ? Prober.Found.ANSWERS : Prober.Found.REFUSED));
      }
      return found;
    };
  }

  private Path keyFile() {
    return directory.resolve(ClusterKeyFile.NAME);
  }

  /** Starts all nodes, and waits until they serve. */
  void start() {
    members.values().stream().filter(m -> m.disk != null).forEach(this::startProcess);
    await("storage nodes run", () -> all(FIRST_STORAGE, m -> m.disk.isRunning()));
    members.values().stream().filter(m -> isMemory(m.number)).forEach(this::startProcess);
    await("memory nodes run", () -> memories().stream().allMatch(m -> m.memory != null));
    members.values().stream().filter(m -> isCompute(m.number)).forEach(this::startProcess);
    Environment.start("supervisor", this::supervise);
    awaitWell();
  }

  private boolean all(int first, Predicate<Member> condition) {
    return members.values().stream().filter(m -> m.number >= first).allMatch(condition);
  }

  private List<Member> memories() {
    return members.values().stream().filter(m -> isMemory(m.number)).toList();
  }

  /** Whether a node of this number is a memory node. */
  static boolean isMemory(int number) {
    return number >= FIRST_MEMORY && number < FIRST_STORAGE;
  }

  private static boolean isCompute(int number) {
    return number < FIRST_MEMORY;
  }

  /** Waits until all nodes run and compute nodes take clients. */
  void awaitWell() {
    await("all nodes serve", this::isWell);
  }

  private boolean isWell() {
    for (Member member : members.values()) {
      if (member.hasEnded || member.process == null) {
        return false;
      }
      boolean serves =
          member.disk != null
              ? member.disk.isRunning()
              : isMemory(member.number)
                  ? member.memory != null && member.memory.isMember()
                  : member.compute != null && member.compute.takesClients();
      if (!serves) {
        return false;
      }
    }
    return true;
  }

  /** Nobody unparks whoever waits for a cluster: asks now and then. */
  private void await(String what, BooleanSupplier condition) {
    Duration limit = simulation.elapsed().plusMinutes(3);
    while (!condition.getAsBoolean()) {
      if (simulation.elapsed().compareTo(limit) > 0) {
        throw new AssertionError("not within 3 min of simulated time: " + what);
      }
      Environment.parkNanos(LOOK_NANOS);
    }
  }

  // ---- processes

  private void startProcess(Member member) {
    String kind =
        member.disk != null ? "storage-" : isMemory(member.number) ? "memory-" : "compute-";
    SimulatedNode node = simulation.node(kind + member.number + "/" + ++member.life);
    ClusterProcess process = new ClusterProcess(simulation, member.number, node);
    member.process = process;
    member.hasEnded = false;
    process.note("starts");
    node.start("main", () -> run(member, process));
  }

  private void run(Member member, ClusterProcess process) {
    try {
      if (member.disk != null) {
        member.disk.start();
        member.disk.node().lost().thenAccept(why -> lost(member, process, why));
      } else if (isMemory(member.number)) {
        member.memory = startMemory(member);
        member.memory.lost().thenAccept(why -> lost(member, process, why));
        MemoryNode memory = member.memory;
        memory.drained().thenRun(() -> leave(member, process, memory));
      } else {
        member.compute = startCompute(member);
        member.compute.lost().thenAccept(why -> lost(member, process, why));
        ComputeNode compute = member.compute;
        compute.drained().thenRun(() -> leave(member, process, compute));
      }
      process.note("serves");
    } catch (GaussException e) {
      process.note("could not start: " + e.state() + " " + e.getMessage());
      ended(member, process);
    }
  }

  private void lost(Member member, ClusterProcess process, String why) {
    process.note("has lost its place: " + why);
    ended(member, process);
  }

  private static void leave(Member member, ClusterProcess process, AutoCloseable node) {
    process.note("has been drained");
    process
        .node()
        .start(
            "leave",
            () -> {
              try {
                node.close();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
              process.note("has left");
              ended(member, process);
            });
  }

  private static void ended(Member member, ClusterProcess process) {
    if (member.process == process) {
      member.hasEnded = true;
    }
  }

  private MemoryNode startMemory(Member member) {
    Map<String, String> settings = common();
    settings.put("threads.event-loops", "1");
    settings.put("cache.size", "1MB");
    return MemoryNode.start(
        MemoryNodeSettings.load(own(member), member.number, settings)
            .with(NodeSettingTable.DIRECTORY_ENTRIES, size.entries()),
        network::transport,
        new SimpleMeterRegistry());
  }

  private ComputeNode startCompute(Member member) {
    Map<String, String> settings = common();
    settings.put("cluster.node", Integer.toString(member.number));
    settings.putAll(computeSettings);
    return ComputeNode.startWithoutPort(
        NodeSettings.load(own(member), 5432, settings)
            .with(NodeSettingTable.POOL_SIZE, (long) size.frames() * PageLayout.PAGE_BYTES),
        new SimpleMeterRegistry(),
        network::transport);
  }

  private Map<String, String> common() {
    Map<String, String> settings = new TreeMap<>();
    settings.put("cluster.key", keyFile().toString());
    settings.put(
        "storage.nodes",
        addresses.stream().map(StorageAddress::toString).collect(Collectors.joining(",")));
    return settings;
  }

  /** A directory for each life: the process before may hold its own for ever. */
  private Path own(Member member) {
    try {
      return Files.createDirectories(directory.resolve(member.number + "-" + member.life));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Replaces processes that have ended by themselves. */
  private void supervise() {
    while (!ended) {
      for (Member member : List.copyOf(members.values())) {
        if (member.hasEnded && member.mayStart) {
          end(member, false);
          startProcess(member);
        }
      }
      Environment.parkNanos(LOOK_NANOS);
    }
  }

  private void end(Member member, boolean losesPower) {
    member.process.node().kill();
    network.gone(member.number);
    member.compute = null;
    member.memory = null;
    if (member.disk != null) { // also one that is only starting
      if (losesPower) {
        member.disk.losePower();
      } else {
        member.disk.kill();
      }
      member.disk.free();
    }
  }

  // ---- what happens to it

  /**
   * Kills a node's process; it is started again after a while.
   *
   * @param losesPower whether its disk loses what was not forced
   */
  void kill(int number, boolean losesPower, long restartNanos) {
    Member member = members.get(number);
    ClusterProcess killed = member.process;
    if (killed.node().isDead()) {
      return; // another fault has been faster, and starts it again
    }
    killed.note(losesPower ? "loses power" : "is killed");
    member.mayStart = false;
    member.hasEnded = true;
    end(member, losesPower);
    Environment.parkNanos(restartNanos);
    startProcess(member);
    member.mayStart = true;
  }

  /** A compute or memory node joins, under the next number; no effect if it has already. */
  void add(int number) {
    if (!members.containsKey(number)) {
      Member member = new Member(number);
      members.put(number, member);
      startProcess(member);
    }
  }

  /** Stops a node's process for a while. */
  void pause(int number, long nanos) {
    Member member = members.get(number);
    ClusterProcess process = member.process;
    process.note("stands still");
    process.node().pause();
    if (member.disk != null) {
      member.disk.pause();
    }
    Environment.parkNanos(nanos);
    if (member.disk != null) {
      member.disk.resume();
    }
    process.node().resume();
    process.note("continues");
  }

  /** Asks a compute or memory node to leave, if another one of its kind is there. */
  void drain(int number) {
    if (operator == null) {
      operator = new Operator(network, keyFile(), addresses);
    }
    operator.drain(number);
  }

  /** A node has answered a client. */
  void answered(int number) {
    LockSupport.unpark(answerWaits.get(number));
  }

  /** Waits until a node answers a client, but not longer than so. */
  void awaitAnswer(int number, long nanos) {
    if (answerWaits.putIfAbsent(number, Thread.currentThread()) == null) {
      Environment.parkNanos(nanos);
      answerWaits.remove(number);
    }
  }

  SimulatedNetwork network() {
    return network;
  }

  /** How many compute nodes there are by now; they have the numbers from 1 on. */
  int computes() {
    return (int) members.keySet().stream().filter(SimulatedCluster::isCompute).count();
  }

  SimulatedStorage storage() {
    return storage;
  }

  Size size() {
    return size;
  }

  /** Numbers of all nodes. */
  Set<Integer> numbers() {
    return members.keySet();
  }

  /** Connects to a compute node; null while it does not serve. */
  ClientConnection connect(int number) {
    Member member = members.get(number);
    return member.compute == null || member.hasEnded || member.compute.drained().isDone()
        ? null
        : new ClientConnection(simulation, member.process, member.compute);
  }

  /** A compute node; null while it does not serve. */
  ComputeNode compute(int number) {
    return members.get(number).compute;
  }

  /** Ends all processes, as they are. */
  void close() {
    ended = true;
    for (Member member : members.values()) {
      if (member.process != null) {
        end(member, false);
      }
    }
    storage.close();
  }
}
