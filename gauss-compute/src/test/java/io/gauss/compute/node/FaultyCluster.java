package io.gauss.compute.node;

import io.gauss.common.fault.FaultPoints;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.sim.JitterNetwork;
import io.gauss.common.transport.sim.JitterNetwork.Weather;
import io.gauss.common.transport.sim.PortedTransport;
import io.gauss.compute.history.FaultPlan;
import io.gauss.compute.history.FaultPlan.Event;
import io.gauss.compute.history.FaultPlan.Stall;
import io.gauss.memory.node.MemoryNode;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.node.StorageNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;

/**
 * A whole cluster in this JVM, over a network of ours, to which the faults of {@link FaultPlan}s
 * happen. Buffer pools are so small that pages come and go all the time.
 *
 * <p>A node that is killed cannot be made to end as a process does: it is cut off from all others
 * and from its clients, its port is refused, and its threads go on without any effect until they
 * have ended, while another process takes its place.
 */
final class FaultyCluster implements AutoCloseable {
  private static final long FRAMES = 192;
  private static final int END_SECONDS = 60;

  private final Path directory;
  private final JitterNetwork network = new JitterNetwork(0, 0, 0);
  private final Map<Integer, PortedTransport> transports = new ConcurrentHashMap<>();
  private final StorageNodes storage;
  private final MemoryNodes memory;
  private final Map<Integer, OneNode> computes = new ConcurrentHashMap<>();
  private final Map<String, Armed> points = new ConcurrentHashMap<>();
  private final ExecutorService background = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> endings = new ArrayList<>(); // under its lock
  private int lives;

  /** A fault point at which threads stand still by chance. */
  private static final class Armed implements Runnable {
    private volatile Stall stall;
    private volatile Random random;

    @Override
    public void run() {
      Stall now = stall;
      if (now != null && random.nextInt(now.oneIn()) == 0) {
        LockSupport.parkNanos(1_000L * random.nextInt(now.maxMicros()));
      }
    }
  }

  FaultyCluster(Path directory, int memories, int nodes) throws IOException {
    this(directory, memories, nodes, Map.of());
  }

  /**
   * @param settings of the storage nodes, among them those of a new cluster
   */
  FaultyCluster(Path directory, int memories, int nodes, Map<String, String> settings)
      throws IOException {
    this.directory = directory;
    storage = new StorageNodes(directory, 1, settings, this::transport);
    storage.start();
    storage.awaitWell();
    memory = new MemoryNodes(directory, storage, this::transport);
    memory.start(memories);
    for (int number = 1; number <= nodes; number++) {
      start(number);
    }
  }

  private Transport transport(TransportConfig config) {
    PortedTransport transport = new PortedTransport(network.transport(config));
    transports.put(config.self().node(), transport);
    return transport;
  }

  private void start(int number) {
    Map<String, String> settings = new HashMap<>();
    settings.put("cluster.node", Integer.toString(number));
    settings.put("cluster.key", storage.key().toString());
    settings.put(
        "storage.nodes",
        storage.addresses().stream()
            .map(StorageAddress::toString)
            .collect(Collectors.joining(",")));
    // Another directory for each life: the one before may not have ended yet.
    Path data = directory.resolve("compute-" + number + "-" + ++lives);
    computes.put(
        number, new OneNode(withFrames(NodeSettings.load(data, 0, settings)), this::transport));
  }

  /** With a pool that settings do not allow. */
  private static NodeSettings withFrames(NodeSettings s) {
    return new NodeSettings(
        s.data(),
        s.port(),
        FRAMES * 8192,
        s.maxConnections(),
        s.eventLoops(),
        s.checkpointBytes(),
        s.checkpointSeconds(),
        s.redoMemoryBytes(),
        s.pageWriteBytesPerSecond(),
        s.metricsAddress(),
        s.metricsPort(),
        s.slowStatementMillis(),
        s.listenAddress(),
        s.trustLoopback(),
        s.passwordFile(),
        s.authenticationTimeoutSeconds(),
        s.tls(),
        s.storageTimeout(),
        s.storageNodes(),
        s.clusterKey(),
        s.peerTls(),
        s.node(),
        s.peerAddress(),
        s.peerPort(),
        s.peerListen(),
        s.zone(),
        s.drainGrace(),
        s.rightsKept(),
        s.samplesPerSecond(),
        s.learnsRouting(),
        s.placedPerSecond(),
        s.reroutes());
  }

  /** A compute node; null while it is dead. */
  OneNode compute(int number) {
    return computes.get(number);
  }

  /** Numbers of the compute nodes that run. */
  Set<Integer> numbers() {
    return Set.copyOf(computes.keySet());
  }

  // ---- faults

  /** From now on messages and threads fare as planned; events happen by {@link #happen}. */
  void begin(FaultPlan plan) {
    network.weather(plan.seed(), plan.weather());
    plan.stalls()
        .forEach(
            (name, stall) -> {
              Armed point = points.computeIfAbsent(name, FaultyCluster::arm);
              point.random = new Random(plan.seed() ^ name.hashCode());
              point.stall = stall;
            });
  }

  private static Armed arm(String name) {
    Armed point = new Armed();
    FaultPoints.arm(name, point);
    return point;
  }

  /** Nothing goes wrong any more. */
  void calm() {
    network.weather(0, Weather.FINE);
    points.values().forEach(point -> point.stall = null);
  }

  /**
   * Waits until what the event does is over.
   *
   * @param dies told of the number of a compute node when it is gone
   */
  void happen(Event event, IntConsumer dies) throws Exception {
    int node = event.node();
    switch (event.kind()) {
      case DISCONNECT -> network.disconnect(node);
      case HOLD -> {
        hold(node);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(event.millis()));
        letGo(node);
      }
      case OUTLIVE -> outlive(event, dies);
      case KILL -> kill(node, dies);
    }
  }

  /** Nothing comes from the node, and nothing gets to it. */
  void hold(int node) {
    network.hold(node);
  }

  void letGo(int node) {
    network.letGo(node);
  }

  private void outlive(Event event, IntConsumer dies) throws Exception {
    OneNode gone = computes.get(event.node());
    hold(event.node());
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(event.millis()));
    letGo(event.node());
    gone.node.lost().get(END_SECONDS, TimeUnit.SECONDS);
    computes.remove(event.node());
    dies.accept(event.node());
    end(gone.node::close);
    start(event.node());
  }

  private void kill(int node, IntConsumer dies) throws IOException {
    if (node >= FaultPlan.FIRST_MEMORY_NODE) {
      MemoryNode gone = memory.takeOut(node);
      cutOff(node);
      end(gone::close);
      memory.startNode(node);
    } else {
      OneNode gone = computes.remove(node);
      cutOff(node);
      dies.accept(node);
      end(gone.node::close);
      start(node);
    }
  }

  private void cutOff(int node) {
    transports.get(node).closePorts();
    network.kill(node);
  }

  private void end(Runnable close) {
    synchronized (endings) {
      endings.add(background.submit(close));
    }
  }

  @Override
  public void close() {
    calm();
    points.keySet().forEach(name -> FaultPoints.arm(name, () -> {}).close());
    try (storage;
        memory;
        background) {
      computes.values().forEach(node -> end(node.node::close));
      synchronized (endings) {
        for (Future<?> ending : endings) {
          ending.get(END_SECONDS, TimeUnit.SECONDS);
        }
      }
    } catch (Exception e) {
      throw new AssertionError("a node does not end", e);
    }
  }
}
