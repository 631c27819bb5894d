package io.gauss.server;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.config.SettingValues;
import io.gauss.common.file.WholeFile;
import io.gauss.common.id.Lsn;
import io.gauss.common.task.ChosenPorts;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.disk.PrivateFiles;
import io.gauss.storage.map.api.ClusterMap;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The directories of the nodes of a cluster of processes on one machine, below that of the cluster:
 * {@code storage-N}, {@code memory-N} and {@code compute-N}, each with the node's {@code
 * gauss.properties}.
 */
final class NodeDirectories {
  static final String HOST = "127.0.0.1";

  /** Prefix of settings that are the same on all nodes. */
  private static final String OF_ALL_NODES = "peer.tls.";

  /** A node that has been retired keeps nothing that is still needed. */
  private static final Duration RETIRED_ENDS = Duration.ofSeconds(30);

  private static final String NODES = NodeSettingTable.STORAGE_NODES.name();
  private static final String KEY = NodeSettingTable.CLUSTER_KEY.name();
  private static final String STORAGE = "storage-";
  private static final String MEMORY = "memory-";
  private static final String REPLACED = "replaced-";

  /** In the directory of a storage node that replaces another one: the number of that one. */
  private static final String REPLACES = "replaces";

  private final Path directory;

  NodeDirectories(Path directory) {
    this.directory = directory;
  }

  Path storage(int node) {
    return directory.resolve(STORAGE + node);
  }

  Path memory(int node) {
    return directory.resolve(MEMORY + node);
  }

  Path compute(int node) {
    return directory.resolve("compute-" + node);
  }

  /** The file with the key of all nodes. */
  Path key() {
    return directory.resolve(ClusterKeyFile.NAME);
  }

  boolean isKnown(int node) {
    return Files.isDirectory(storage(node));
  }

  /** Numbers of the storage nodes that have a directory, ascending. */
  List<Integer> storageNodes() throws IOException {
    return numbers("storage");
  }

  /** Numbers of the nodes of a role that have a directory, ascending. */
  List<Integer> numbers(String role) throws IOException {
    String prefix = role + "-";
    try (var found = Files.list(directory)) {
      return found
          .map(path -> path.getFileName().toString())
          .filter(name -> name.matches(prefix + "\\d{1,5}"))
          .map(name -> Integer.valueOf(name.substring(prefix.length())))
          .sorted()
          .toList();
    }
  }

  /** The settings that every node of the cluster needs. */
  Map<String, String> shared() throws IOException {
    Map<String, String> shared = new TreeMap<>(ofAllNodes());
    shared.put(KEY, key().toString());
    shared.put(
        NODES,
        text(
            addresses()
                .orElseThrow(
                    () -> new RefusedException("no storage nodes are known in " + directory))));
    return shared;
  }

  /**
   * The storage nodes with which the cluster was last started, according to one of them that is not
   * new itself; empty when it was never started.
   */
  Optional<List<StorageAddress>> addresses() throws IOException {
    for (int node : storageNodes()) {
      if (Files.exists(storage(node).resolve(REPLACES))) {
        continue;
      }
      String nodes = properties(node).getProperty(NODES, "").strip();
      if (!nodes.isEmpty()) {
        return Optional.of(StorageAddress.parse(nodes));
      }
    }
    return Optional.empty();
  }

  private Properties properties(int node) throws IOException {
    Properties properties = new Properties();
    Path file = storage(node).resolve(SettingValues.FILE);
    if (Files.exists(file)) {
      try (var reader = Files.newBufferedReader(file)) {
        properties.load(reader);
      }
    }
    return properties;
  }

  /** Settings made there before are kept, except those that the cluster decides. */
  static void save(Path own, Map<String, String> shared) throws IOException {
    PrivateFiles.createDirectory(own);
    Path file = own.resolve(SettingValues.FILE);
    Properties properties = new Properties();
    if (Files.exists(file)) {
      try (var reader = Files.newBufferedReader(file)) {
        properties.load(reader);
      }
    }
    properties.putAll(shared);
    StringWriter text = new StringWriter();
    properties.store(text, "Written by gauss; settings may be added");
    // A node that is killed meanwhile must find its settings: without them it would be another one.
    WholeFile.write(file, text.toString());
  }

  static String text(List<StorageAddress> nodes) {
    return nodes.stream().map(StorageAddress::toString).collect(Collectors.joining(","));
  }

  // ---- replacing one node by another

  /**
   * The node that replaces another one: the one of an earlier attempt, or a new one with a number
   * that no node has had.
   *
   * @param others the remaining storage nodes
   */
  StorageAddress replacementOf(
      int old, ClusterMap map, List<StorageAddress> others, Map<String, String> settings)
      throws IOException {
    for (int node : storageNodes()) {
      Path mark = storage(node).resolve(REPLACES);
      if (Files.exists(mark) && Files.readString(mark).strip().equals("" + old)) {
        return begun(node);
      }
    }
    StorageAddress fresh = choose(map);
    Path own = storage(fresh.node());
    List<StorageAddress> nodes = new ArrayList<>(others);
    nodes.add(fresh);
    Map<String, String> properties = new TreeMap<>(ofAllNodes());
    properties.putAll(settings);
    properties.put(KEY, key().toString());
    properties.put(NODES, text(nodes));
    save(own, properties);
    Files.writeString(own.resolve(REPLACES), old + "\n", StandardCharsets.UTF_8);
    return fresh;
  }

  /** Settings that are the same on all nodes, as one of the storage nodes has them. */
  private Map<String, String> ofAllNodes() throws IOException {
    Map<String, String> same = new TreeMap<>();
    for (int node : storageNodes()) {
      Properties properties = properties(node);
      for (String name : properties.stringPropertyNames()) {
        if (name.startsWith(OF_ALL_NODES)) {
          same.put(name, properties.getProperty(name));
        }
      }
    }
    return same;
  }

  private StorageAddress begun(int node) throws IOException {
    return StorageAddress.parse(properties(node).getProperty(NODES, "")).stream()
        .filter(address -> address.node() == node)
        .findAny()
        .orElseThrow(
            () -> new RefusedException(storage(node) + " is not the directory of node " + node));
  }

  private StorageAddress choose(ClusterMap map) throws IOException {
    int number = 0;
    for (int node : storageNodes()) {
      number = Math.max(number, node);
    }
    for (int node : map.nodes().keySet()) {
      number = node <= Lsn.MAX_NODE ? Math.max(number, node) : number;
    }
    if (number == Lsn.MAX_NODE) {
      throw new RefusedException("all numbers of storage nodes have been used");
    }
    return new StorageAddress(number + 1, HOST, ChosenPorts.one(), ChosenPorts.one());
  }

  /** Starts the node unless it runs. */
  NodeProcess startIfNeeded(StorageAddress node) throws IOException {
    Path own = storage(node.node());
    String name = "storage node " + node.node();
    Optional<NodeProcess> running = NodeProcess.running(name, own);
    return running.isPresent()
        ? running.get()
        : NodeProcess.start(name, own, startArguments(node.node(), own));
  }

  static List<String> startArguments(int node, Path own) {
    return List.of("start", "--role", "storage", "--node", "" + node, "--data", "" + own);
  }

  /**
   * The old node has nothing to do any more: ends its process, moves its directory away, and gives
   * all others the list of storage nodes for their next start.
   */
  void retire(int old, List<StorageAddress> nodes) throws IOException {
    Optional<NodeProcess> running = NodeProcess.running("storage node " + old, storage(old));
    running.ifPresent(node -> node.stopOrKill(RETIRED_ENDS));
    if (isKnown(old)) {
      Files.move(storage(old), directory.resolve(REPLACED + old));
    }
    Map<String, String> now = Map.of(NODES, text(nodes));
    try (var found = Files.newDirectoryStream(directory, "{storage,memory,compute}-*")) {
      for (Path own : found) {
        save(own, now);
      }
    }
    for (StorageAddress node : nodes) {
      Path mark = storage(node.node()).resolve(REPLACES);
      if (Files.exists(mark) && Files.readString(mark).strip().equals("" + old)) {
        Files.delete(mark);
      }
    }
  }
}
