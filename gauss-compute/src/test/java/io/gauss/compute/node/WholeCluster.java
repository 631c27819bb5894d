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
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/** Storage, memory and compute nodes of one cluster in this JVM, over TCP on loopback. */
public final class WholeCluster implements AutoCloseable {
  private final Path directory;
  private final StorageNodes storage;
  private final MemoryNodes memory;
  private final NavigableMap<Integer, OneNode> computes = new ConcurrentSkipListMap<>();
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
  public WholeCluster(
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
  public void start(int number) {
    NodeSettings settings = settings(number);
    computes.put(number, new OneNode(settings));
  }

  /**
   * Starts a compute node, and stops when it is a member of the cluster with everything recovered,
   * but its port for clients is not open.
   *
   * @return lets it continue, and waits until it takes clients
   */
  public Runnable startHeld(int number) throws InterruptedException {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch mayContinue = new CountDownLatch(1);
    NodeSettings settings = settings(number);
    CompletableFuture<OneNode> started =
        CompletableFuture.supplyAsync(
            () ->
                new OneNode(
                    settings,
                    phase -> {
                      if (phase == ComputeNode.Phase.SQL) {
                        arrived.countDown();
                        awaitUninterruptibly(mayContinue);
                      }
                    }),
            Thread.ofPlatform()::start);
    started.whenComplete((node, failure) -> arrived.countDown());
    arrived.await();
    return () -> {
      mayContinue.countDown();
      computes.put(number, started.join());
    };
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while a start is held", e);
    }
  }

  private NodeSettings settings(int number) {
    Map<String, String> settings = new HashMap<>(computeSettings);
    settings.put("cluster.node", Integer.toString(number));
    settings.put("cluster.key", storage.key().toString());
    settings.put(
        "storage.nodes",
        storage.addresses().stream()
            .map(StorageAddress::toString)
            .collect(Collectors.joining(",")));
    settings.put("pool.size", "16MB");
    return NodeSettings.load(directory.resolve("compute-" + number), 0, settings);
  }

  /** Stops a compute node in order. */
  public void stop(int number) {
    computes.remove(number).close();
  }

  /** Has a compute node leave as {@code gauss drain} does; it leaves when its sessions have. */
  public void drain(int number) throws Exception {
    try (MapTool map = new MapTool(storage)) {
      map.drain(number);
    }
  }

  /**
   * Has the cluster take a compute node for dead at this moment, whatever it is doing, and waits
   * until another one has recovered it. What waits in it for pages does not keep it from ending.
   */
  void kill(int number) throws Exception {
    declareDead(number);
    end(number);
  }

  /** The first part of {@link #kill}: the node's process is still there, and without a place. */
  public void declareDead(int number) throws Exception {
    try (MapTool map = new MapTool(storage)) {
      map.kill(number);
      map.await(now -> now.node(number).filter(MapNode::isLive).isEmpty());
      map.await(now -> now.deaths().isEmpty());
    }
  }

  /** Ends a node that has lost its place; its pages are not compared with anything any more. */
  public void end(int number) {
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

  /** A compute node that runs. */
  public ComputeNode node(int number) {
    return computes.get(number).node;
  }

  /** The port of a compute node for clients. */
  public int port(int number) {
    return node(number).port();
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
    return "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss".formatted(port(number));
  }

  @Override
  public void close() {
    try (storage;
        memory) {
      numbers().forEach(this::stop);
    }
  }
}
