package io.gauss.storage.node;

import io.gauss.common.task.FreePorts;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.PeerTls;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.common.transport.tcp.TransportTls;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.raft.Together;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Storage nodes of a cluster in this JVM, over TCP on loopback, that stop and start. */
public final class StorageNodes implements AutoCloseable {
  private static final int FIRST = 201;
  private static final long LONG_NANOS = 180_000_000_000L;

  private final Path directory;
  private final Map<String, String> extra;
  private final Path key;
  private final PeerTls tls;
  private final FaultyMapTransport.Faults faults;
  private final Function<TransportConfig, Transport> transports;
  private final List<StorageAddress> addresses = new ArrayList<>();
  private final Map<Integer, StorageNode> running = new HashMap<>();
  private final Map<Integer, MeterRegistry> meters = new HashMap<>();

  public StorageNodes(Path directory, int count) throws IOException {
    this(directory, count, null, Map.of(), null, null);
  }

  /** The same, with lost requests about the cluster map between the nodes. */
  StorageNodes(Path directory, int count, FaultyMapTransport.Faults faults) throws IOException {
    this(directory, count, null, Map.of(), faults, null);
  }

  /** The same with settings that differ from those of other tests. */
  public StorageNodes(Path directory, int count, Map<String, String> extra) throws IOException {
    this(directory, count, null, extra, null, null);
  }

  /**
   * The same over another network.
   *
   * @param transports opens a node's transport
   */
  public StorageNodes(
      Path directory,
      int count,
      Map<String, String> extra,
      Function<TransportConfig, Transport> transports)
      throws IOException {
    this(directory, count, null, extra, null, transports);
  }

  /**
   * @param tls null = connections are not encrypted
   */
  public StorageNodes(Path directory, int count, PeerTls tls) throws IOException {
    this(directory, count, tls, Map.of(), null, null);
  }

  private StorageNodes(
      Path directory,
      int count,
      PeerTls tls,
      Map<String, String> extra,
      FaultyMapTransport.Faults faults,
      Function<TransportConfig, Transport> transports)
      throws IOException {
    this.faults = faults;
    this.transports =
        transports != null
            ? transports
            : config -> new TcpTransport(config, options(config.self()));
    this.directory = directory;
    this.tls = tls;
    this.extra = extra;
    this.key = directory.resolve("cluster.key");
    ClusterKeyFile.ensure(key);
    for (int i = 0; i < count; i++) {
      addresses.add(address(FIRST + i));
    }
  }

  /** Starts one more; running nodes are not notified. Returns its number. */
  public int add() throws IOException {
    int node = FIRST + addresses.size();
    addresses.add(address(node));
    start(node);
    return node;
  }

  private static StorageAddress address(int node) {
    return new StorageAddress(node, "127.0.0.1", FreePorts.one(), FreePorts.one());
  }

  public List<StorageAddress> addresses() {
    return addresses;
  }

  public Path key() {
    return key;
  }

  public Path directory(int node) {
    return directory.resolve("storage-" + node);
  }

  /** Starts all nodes that are not running. */
  public void start() throws IOException {
    for (StorageAddress address : addresses) {
      start(address.node());
    }
  }

  public StorageNode start(int node) throws IOException {
    StorageNode found = running.get(node);
    if (found == null) {
      Files.createDirectories(directory(node));
      found =
          StorageNode.start(
              StorageNodeSettings.load(directory(node), node, settings()),
              this::transport,
              meters(node));
      running.put(node, found);
    }
    return found;
  }

  private Transport transport(TransportConfig config) {
    Transport transport = transports.apply(config);
    return faults == null ? transport : new FaultyMapTransport(transport, faults);
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("cluster.key", key.toString());
    settings.put("pages.redo-memory", "16MB");
    // A machine that is busy with other tests may stall for longer than the usual 3.
    settings.put("cluster.lease", "30");
    settings.putAll(extra);
    settings.put(
        "storage.nodes",
        addresses.stream().map(StorageAddress::toString).collect(Collectors.joining(",")));
    if (tls != null) {
      settings.put("peer.tls.certificate", tls.certificate().toString());
      settings.put("peer.tls.key", tls.key().toString());
      settings.put("peer.tls.authority", tls.authority().toString());
    }
    return settings;
  }

  /** How a node of this cluster connects. */
  TcpOptions options(NodeIdentity self) {
    return new TcpOptions(SocketIo.best(), 1, TransportTls.of(tls, self));
  }

  /** A node's meters since its last start. */
  public MeterRegistry meters(int node) {
    return running.containsKey(node)
        ? meters.get(node)
        : meters.merge(node, new SimpleMeterRegistry(), (before, now) -> now);
  }

  public StorageNode node(int node) {
    return running.get(node);
  }

  public void stop(int node) {
    StorageNode stopped = running.remove(node);
    if (stopped != null) {
      stopped.close();
    }
  }

  /** Waits until all running nodes report no problem. */
  public void awaitWell() {
    try {
      await(
          "all storage nodes are well",
          () -> running.values().stream().allMatch(n -> n.problems().isEmpty()));
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ": " + problems() + "\n" + threads(), e);
    }
  }

  private Map<Integer, Object> problems() {
    Map<Integer, Object> problems = new TreeMap<>();
    running.forEach((number, node) -> problems.put(number, node.problems()));
    return problems;
  }

  /** Stacks of the nodes' threads, for a wait that fails. */
  private static String threads() {
    StringBuilder text = new StringBuilder();
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              if (thread.getName().startsWith("gauss")) {
                text.append(thread.getName()).append(' ').append(thread.getState()).append('\n');
                for (StackTraceElement each : stack) {
                  text.append("  ").append(each).append('\n');
                }
              }
            });
    return text.toString();
  }

  public static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > LONG_NANOS) {
        throw new AssertionError("waited for long, in vain: " + what);
      }
      LockSupport.parkNanos(5_000_000);
    }
  }

  @Override
  public void close() {
    List<StorageNode> all = List.copyOf(running.values());
    running.clear();
    Together.run(all.stream().<Runnable>map(node -> node::close).toList());
  }
}
