package io.gauss.compute.node;

import io.gauss.compute.store.LostPages;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.node.StorageNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Storage, memory and compute nodes of one cluster in this JVM, over TCP on loopback. */
public final class WholeCluster implements AutoCloseable {
  private final Path directory;
  private final StorageNodes storage;
  private final MemoryNodes memory;
  private final TreeMap<Integer, OneNode> computes = new TreeMap<>();
  private final Map<String, String> computeSettings;

  /**
   * Starts everything; compute nodes have the numbers from 1 on.
   *
   * @param settings of the cluster, for its first start
   */
  public WholeCluster(
      Path directory,
      int storageNodes,
      int memoryNodes,
      int computeNodes,
      Map<String, String> settings)
      throws IOException {
    this(directory, storageNodes, memoryNodes, computeNodes, settings, Map.of());
  }

  /**
   * The same.
   *
   * @param computeSettings of compute nodes
   */
  WholeCluster(
      Path directory,
      int storageNodes,
      int memoryNodes,
      int computeNodes,
      Map<String, String> settings,
      Map<String, String> computeSettings)
      throws IOException {
    this.directory = directory;
    this.computeSettings = computeSettings;
    storage = new StorageNodes(directory, storageNodes, settings);
    storage.start();
    storage.awaitWell();
    memory = new MemoryNodes(directory, storage);
    memory.start(memoryNodes);
    for (int number = 1; number <= computeNodes; number++) {
      start(number);
    }
  }

  /** Starts a compute node, also one that was there before. */
  OneNode start(int number) {
    Map<String, String> settings = new HashMap<>(computeSettings);
    settings.put("cluster.node", Integer.toString(number));
    settings.put("cluster.key", storage.key().toString());
    settings.put(
        "storage.nodes",
        storage.addresses().stream()
            .map(StorageAddress::toString)
            .collect(Collectors.joining(",")));
    settings.put("pool.size", "16MB");
    OneNode started =
        new OneNode(NodeSettings.load(directory.resolve("compute-" + number), 0, settings));
    computes.put(number, started);
    return started;
  }

  /** Stops a compute node in order. */
  void stop(int number) {
    computes.remove(number).close();
  }

  /**
   * Has the cluster take a compute node for dead at this moment, whatever it is doing, and waits
   * until another one has recovered it. What waits in it for pages does not keep it from ending.
   */
  void kill(int number) throws Exception {
    try (MapTool map = new MapTool(storage)) {
      map.kill(number);
      map.await(now -> now.node(number).filter(MapNode::isLive).isEmpty());
      map.await(now -> now.deaths().isEmpty());
    }
    computes.remove(number).node.close();
  }

  /** Extents of tables and indexes that a node holds. */
  int extents(int number) {
    return pages(compute(number).node).heldBy(number);
  }

  /** The pages of all tables and indexes, as a node sees them. */
  static LostPages pages(ComputeNode node) {
    return new LostPages(node.engine().pool(), node.engine().spaces(), node.engine().newContext());
  }

  OneNode compute(int number) {
    return computes.get(number);
  }

  /** Numbers of the compute nodes that run. */
  public List<Integer> numbers() {
    return List.copyOf(computes.keySet());
  }

  StorageNodes storage() {
    return storage;
  }

  MemoryNodes memory() {
    return memory;
  }

  /** A connection to each compute node, in the order of their numbers. */
  List<Connection> connections() throws SQLException {
    List<Connection> all = new ArrayList<>();
    for (OneNode node : computes.values()) {
      all.add(node.connect());
    }
    return all;
  }

  /** Where a compute node is reached. */
  public String url(int number) {
    return "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss"
        .formatted(computes.get(number).node.port());
  }

  @Override
  public void close() {
    try (storage;
        memory) {
      numbers().forEach(this::stop);
    }
  }
}
