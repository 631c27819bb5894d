package io.gauss.server;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.task.ChosenPorts;
import io.gauss.common.task.CloseStack;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.compute.node.NodeSettings;
import io.gauss.memory.node.MemoryNodeSettings;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.disk.PrivateFiles;
import io.gauss.storage.node.StorageNodeSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The cluster of a training run: storage, memory and compute nodes in this process, which reach
 * each other by TCP as those of several processes do. For one thread.
 */
final class TrainingCluster implements AutoCloseable {
  private static final int STORAGE_NODES = 3;
  private static final int MEMORY_NODES = 2;
  private static final int COMPUTE_NODES = 2;
  private static final int FIRST_STORAGE_NODE = 201;
  private static final int FIRST_MEMORY_NODE = 101;

  /** So that no node is taken for dead, or suspended, while a busy machine delays it. */
  private static final String LEASE_SECONDS = "60";

  private static final String CLOCK_LEASE_MS = "10000";

  private final Path directory;
  private final Map<String, String> settings = new HashMap<>();
  private final CloseStack nodes = new CloseStack("cluster");
  private final List<Integer> ports = new ArrayList<>();

  private TrainingCluster(Path directory) {
    this.directory = directory;
  }

  /**
   * Starts all nodes.
   *
   * @param directory in which each node gets one of its own
   */
  static TrainingCluster start(Path directory) throws IOException {
    TrainingCluster cluster = new TrainingCluster(directory);
    try {
      cluster.startNodes();
      return cluster;
    } catch (IOException | RuntimeException | Error e) {
      cluster.nodes.closeAfter(e);
      throw e;
    }
  }

  private void startNodes() throws IOException {
    Path key = directory.resolve(ClusterKeyFile.NAME);
    ClusterKeyFile.ensure(key);
    settings.put(NodeSettingTable.CLUSTER_KEY.name(), key.toString());
    List<StorageAddress> addresses = new ArrayList<>();
    for (int i = 0; i < STORAGE_NODES; i++) {
      addresses.add(
          new StorageAddress(
              FIRST_STORAGE_NODE + i, NodeDirectories.HOST, ChosenPorts.one(), ChosenPorts.one()));
    }
    settings.put(NodeSettingTable.STORAGE_NODES.name(), NodeDirectories.text(addresses));
    for (StorageAddress address : addresses) {
      startStorage(address.node());
    }
    for (int i = 0; i < MEMORY_NODES; i++) {
      startMemory(FIRST_MEMORY_NODE + i);
    }
    for (int number = 1; number <= COMPUTE_NODES; number++) {
      startCompute(number);
    }
  }

  private void startStorage(int number) throws IOException {
    Map<String, String> own = new HashMap<>(settings);
    own.put(NodeSettingTable.CLUSTER_LEASE.name(), LEASE_SECONDS);
    own.put(NodeSettingTable.CLUSTER_CLOCK_LEASE.name(), CLOCK_LEASE_MS);
    nodes.add(
        RunningNode.start(
            StorageNodeSettings.load(data("storage", number), number, own),
            new NodeMetrics().registry()));
  }

  private void startMemory(int number) throws IOException {
    Path data = data("memory", number);
    nodes.add(
        RunningNode.start(
            MemoryNodeSettings.load(data, number, settings), data, new NodeMetrics().registry()));
  }

  private void startCompute(int number) throws IOException {
    Map<String, String> own = new HashMap<>(settings);
    own.put(NodeSettingTable.CLUSTER_NODE.name(), Integer.toString(number));
    // A process of its own would take part in what is learned there, not here.
    own.put(NodeSettingTable.ROUTING_LEARNING.name(), "off");
    NodeRunner.Running node =
        RunningCompute.start(
            NodeSettings.load(data("compute", number), 0, own), new NodeMetrics().registry());
    nodes.add(node);
    ports.add(node.port());
  }

  private Path data(String role, int number) throws IOException {
    Path data = directory.resolve(role + "-" + number);
    PrivateFiles.createDirectory(data);
    return data;
  }

  /** Of the compute nodes, for clients. */
  List<Integer> ports() {
    return List.copyOf(ports);
  }

  /** Stops compute nodes first, since they need the others to stop in order. */
  @Override
  public void close() {
    nodes.close();
  }
}
