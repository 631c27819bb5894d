package io.gauss.compute.node;

import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.memory.node.MemoryNode;
import io.gauss.memory.node.MemoryNodeSettings;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.node.StorageNodes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Memory nodes of a cluster in this JVM, over TCP on loopback, that stop and start. */
public final class MemoryNodes implements AutoCloseable {
  private static final int FIRST = 101;

  private final Path directory;
  private final StorageNodes storage;
  private final Function<TransportConfig, Transport> transports;
  private final Map<Integer, MemoryNode> running = new HashMap<>();

  public MemoryNodes(Path directory, StorageNodes storage) {
    this(
        directory,
        storage,
        config -> new TcpTransport(config, new TcpOptions(SocketIo.best(), 1, null)));
  }

  /**
   * @param transports opens a node's transport
   */
  public MemoryNodes(
      Path directory, StorageNodes storage, Function<TransportConfig, Transport> transports) {
    this.directory = directory;
    this.storage = storage;
    this.transports = transports;
  }

  /** Starts the first ones. */
  public void start(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      startNode(FIRST + i);
    }
  }

  public MemoryNode startNode(int node) throws IOException {
    return startNode(node, 100_000, "8MB");
  }

  /**
   * @param entries pages that it can know of at a time
   * @param cache memory for pages' bytes
   */
  public MemoryNode startNode(int node, int entries, String cache) throws IOException {
    Path own = directory.resolve("memory-" + node);
    Files.createDirectories(own);
    Map<String, String> settings =
        Map.of(
            "cluster.key",
            storage.key().toString(),
            "storage.nodes",
            storage.addresses().stream()
                .map(StorageAddress::toString)
                .collect(Collectors.joining(",")),
            "threads.event-loops",
            "1",
            "directory.entries",
            Integer.toString(entries),
            "cache.size",
            cache);
    MemoryNode started =
        MemoryNode.start(
            MemoryNodeSettings.load(own, node, settings), transports, new SimpleMeterRegistry());
    running.put(node, started);
    return started;
  }

  public MemoryNode node(int node) {
    return running.get(node);
  }

  /** Has a node give its buckets to others one by one, and stops it when it has none. */
  void drain(int node) throws Exception {
    try (MapTool map = new MapTool(storage)) {
      map.drain(node);
      running.get(node).drained().get(120, TimeUnit.SECONDS);
    }
    stop(node);
  }

  /** Waits until a node has at least so many buckets. */
  void awaitBuckets(int node, int count) throws Exception {
    try (MapTool map = new MapTool(storage)) {
      map.await(now -> now.buckets().count(node) >= count);
    }
  }

  /** The cluster gives its buckets to others at once, as it does with one whose exit was seen. */
  public void stop(int node) {
    MemoryNode stopped = running.remove(node);
    if (stopped != null) {
      stopped.close();
    }
  }

  /** Takes a node out of those that are stopped with the others: it is the caller's. */
  MemoryNode takeOut(int node) {
    return running.remove(node);
  }

  @Override
  public void close() {
    List.copyOf(running.keySet()).forEach(this::stop);
  }
}
