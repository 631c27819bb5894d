package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.common.config.NodeSetting;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.config.SettingValues;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.server.join.NodeCredentials;
import io.gauss.storage.api.StorageAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The data directory of a node of a cluster of machines:
 *
 * <pre>
 * node.properties      which node it is: {@link NodeDescription}
 * cluster.key          the secret of all nodes
 * tls/                 its key and certificate: {@link NodeCredentials}
 * authority/           of the first node: {@link io.gauss.server.join.ClusterAuthority}
 * compute-N, memory-N, storage-N    data and settings of its roles
 * </pre>
 */
final class MachineDirectory {
  private static final List<String> OF_THE_CLUSTER =
      List.of(
          NodeSettingTable.PEER_ADDRESS.name(),
          NodeSettingTable.PEER_PORT.name(),
          NodeSettingTable.PEER_TLS_CERTIFICATE.name(),
          NodeSettingTable.PEER_TLS_KEY.name(),
          NodeSettingTable.PEER_TLS_AUTHORITY.name());

  /** Any of them says which certificate clients are shown. */
  private static final Set<String> CLIENT_TLS =
      Set.of(
          NodeSettingTable.TLS.name(),
          NodeSettingTable.TLS_CERTIFICATE.name(),
          NodeSettingTable.TLS_KEY.name());

  /** The node's own unless they were given. */
  private static final List<NodeSetting<Optional<Path>>> FILES =
      List.of(
          NodeSettingTable.CLUSTER_KEY,
          NodeSettingTable.PEER_TLS_CERTIFICATE,
          NodeSettingTable.PEER_TLS_KEY,
          NodeSettingTable.PEER_TLS_AUTHORITY,
          NodeSettingTable.TLS_CERTIFICATE,
          NodeSettingTable.TLS_KEY);

  private final Path data;
  private final NodeDirectories roles;

  MachineDirectory(Path data) {
    this.data = data;
    this.roles = new NodeDirectories(data);
  }

  /**
   * Checks that nothing is there that would be lost, or taken for the node's.
   *
   * @throws RefusedException otherwise
   */
  void checkUnused() throws IOException {
    if (Files.isDirectory(data.resolve("log"))) {
      throw new RefusedException(
          data
              + " has the data of a node that keeps its log itself; it cannot become a node of a"
              + " cluster yet: use an empty directory, and copy the tables (pg_dump, psql)");
    }
    for (NodeKind role : NodeKind.values()) {
      if (!roles.numbers(role.toString()).isEmpty()) {
        throw new RefusedException(
            data + " has data of other nodes, or of one that was not completed; use an empty one");
      }
    }
  }

  Path clusterKey() {
    return data.resolve(ClusterKeyFile.NAME);
  }

  NodeCredentials credentials() {
    return NodeCredentials.in(data);
  }

  /** Data and settings of a role. */
  Path of(NodeDescription node, NodeKind role) {
    int number = node.number(role);
    return switch (role) {
      case COMPUTE -> roles.compute(number);
      case MEMORY -> roles.memory(number);
      case STORAGE -> roles.storage(number);
    };
  }

  /**
   * Checks settings from the command line.
   *
   * @throws RefusedException for those that the cluster decides
   * @throws io.gauss.common.error.GaussException 42704 for a setting that no role of the node has,
   *     22023 for an invalid value
   */
  static HandedSettings check(Set<NodeKind> roles, Map<String, String> given) {
    for (String name : OF_THE_CLUSTER) {
      if (given.containsKey(name)) {
        throw new RefusedException(
            "--set "
                + name
                + ": nodes of a cluster of machines have --advertise and --node-port for that, and"
                + " certificates of the cluster's own authority");
      }
    }
    Map<NodeKind, Integer> counts = new HashMap<>();
    for (NodeKind kind : NodeKind.values()) {
      counts.put(kind, roles.contains(kind) ? 1 : 0);
    }
    return new HandedSettings(given, counts);
  }

  /**
   * Makes the directory complete: key and certificate are there already.
   *
   * @param storage the storage nodes of the cluster, this one among them if it stores
   * @param zone of the machine; empty = none
   */
  void write(
      NodeDescription node, List<StorageAddress> storage, String zone, HandedSettings settings)
      throws IOException {
    for (NodeKind role : node.roles()) {
      Map<String, String> properties = shared(storage);
      if (!zone.isEmpty()) {
        properties.put(NodeSettingTable.ZONE.name(), zone);
      }
      if (role != NodeKind.STORAGE) {
        properties.put(NodeSettingTable.PEER_ADDRESS.name(), node.host());
        properties.put(NodeSettingTable.PEER_PORT.name(), "" + node.port(role));
      }
      if (role == NodeKind.COMPUTE) {
        properties.put(NodeSettingTable.CLUSTER_NODE.name(), "" + node.number(role));
        if (settings.of(role).keySet().stream().noneMatch(CLIENT_TLS::contains)) {
          properties.put(NodeSettingTable.TLS_CERTIFICATE.name(), "" + credentials().certificate());
          properties.put(NodeSettingTable.TLS_KEY.name(), "" + credentials().key());
        }
      }
      properties.putAll(settings.of(role));
      NodeDirectories.save(of(node, role), properties);
    }
    node.write(data);
  }

  /**
   * Keeps settings from the command line for this start and later ones.
   *
   * @throws RefusedException as {@link #check}
   */
  void set(NodeDescription node, Map<String, String> given) throws IOException {
    HandedSettings handed = check(node.roles(), given);
    for (NodeKind role : node.roles()) {
      if (!handed.of(role).isEmpty()) {
        NodeDirectories.save(of(node, role), handed.of(role));
      }
    }
  }

  private Map<String, String> shared(List<StorageAddress> storage) {
    NodeCredentials own = credentials();
    Map<String, String> shared = new HashMap<>();
    shared.put(NodeSettingTable.CLUSTER_KEY.name(), "" + clusterKey());
    shared.put(NodeSettingTable.STORAGE_NODES.name(), NodeDirectories.text(storage));
    shared.put(NodeSettingTable.PEER_TLS_CERTIFICATE.name(), "" + own.certificate());
    shared.put(NodeSettingTable.PEER_TLS_KEY.name(), "" + own.key());
    shared.put(NodeSettingTable.PEER_TLS_AUTHORITY.name(), "" + own.authority());
    return shared;
  }

  /**
   * Lets the settings name the node's files where they are now: the directory was moved, or comes
   * from a copy.
   */
  void settle(NodeDescription node) throws IOException {
    for (NodeKind role : node.roles()) {
      SettingValues now = SettingValues.load(role, of(node, role), Map.of());
      Path before = now.file(NodeSettingTable.CLUSTER_KEY, ClusterKeyFile.NAME).getParent();
      Map<String, String> moved = new HashMap<>();
      if (!data.equals(before)) {
        for (NodeSetting<Optional<Path>> file : FILES) {
          if (NodeSettingTable.find(role, file.name()).isPresent()) {
            now.get(file)
                .filter(path -> path.startsWith(before))
                .ifPresent(
                    path -> moved.put(file.name(), "" + data.resolve(before.relativize(path))));
          }
        }
        NodeDirectories.save(of(node, role), moved);
      }
    }
  }

  /**
   * Lets the node be reached by another host from its next start on. Its description comes last:
   * whoever is interrupted does it again.
   */
  void move(NodeDescription from, NodeDescription to) throws IOException {
    for (NodeKind role : to.roles()) {
      SettingValues now = SettingValues.load(role, of(from, role), Map.of());
      Map<String, String> moved = new HashMap<>();
      if (role != NodeKind.STORAGE) {
        moved.put(NodeSettingTable.PEER_ADDRESS.name(), to.host());
      }
      if (to.has(NodeKind.STORAGE)) {
        List<StorageAddress> storage =
            StorageAddress.parse(now.get(NodeSettingTable.STORAGE_NODES)).stream()
                .map(
                    known ->
                        known.node() == to.number(NodeKind.STORAGE) ? to.storageAddress() : known)
                .toList();
        moved.put(NodeSettingTable.STORAGE_NODES.name(), NodeDirectories.text(storage));
      }
      NodeDirectories.save(of(from, role), moved);
    }
    to.write(data);
  }

  /** Notes the cluster's storage nodes for the next start. */
  void rememberStorage(NodeDescription node, List<StorageAddress> storage) throws IOException {
    String text = NodeDirectories.text(storage);
    for (NodeKind role : node.roles()) {
      SettingValues now = SettingValues.load(role, of(node, role), Map.of());
      if (!now.get(NodeSettingTable.STORAGE_NODES).equals(text)) {
        NodeDirectories.save(of(node, role), Map.of(NodeSettingTable.STORAGE_NODES.name(), text));
      }
    }
  }
}
