package io.gauss.storage.node;

import io.gauss.common.config.NodeKind;
import io.gauss.common.config.NodeSetting;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.config.SettingValues;
import io.gauss.common.transport.ClusterKey;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.PeerExposure;
import io.gauss.common.transport.PeerTls;
import io.gauss.storage.api.StorageAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Settings of a storage node, all of them valid. Immutable. */
public final class StorageNodeSettings {
  private final SettingValues values;
  private final StorageAddress self;
  private final List<StorageAddress> nodes;
  private final ClusterKey key;
  private final PeerTls tls;

  private StorageNodeSettings(
      SettingValues values,
      StorageAddress self,
      List<StorageAddress> nodes,
      ClusterKey key,
      PeerTls tls) {
    this.values = values;
    this.self = self;
    this.nodes = nodes;
    this.key = key;
    this.tls = tls;
  }

  /**
   * @param data data directory
   * @param node number of this node
   * @param overrides from the command line
   * @throws io.gauss.common.error.GaussException 22023 for a value that makes no sense, 42704 for
   *     an unknown name, 58030 when a file cannot be read
   */
  public static StorageNodeSettings load(Path data, int node, Map<String, String> overrides) {
    SettingValues values = SettingValues.load(NodeKind.STORAGE, data, overrides);
    List<StorageAddress> nodes =
        List.copyOf(values.get(NodeSettingTable.STORAGE_NODES, StorageAddress::parse));
    StorageAddress self =
        nodes.stream()
            .filter(address -> address.node() == node)
            .findAny()
            .orElseThrow(
                () ->
                    values.invalid(
                        NodeSettingTable.STORAGE_NODES, "a list with this node, " + node));
    StorageNodeSettings settings =
        new StorageNodeSettings(
            values,
            self,
            nodes,
            ClusterKeyFile.read(values.file(NodeSettingTable.CLUSTER_KEY, ClusterKeyFile.NAME)),
            PeerTls.of(values::get));
    PeerExposure.check(values, settings.tls, List.of(self.host(), settings.peerListen()));
    return settings;
  }

  /**
   * Settings of a node without files.
   *
   * @param data names its data
   * @param nodes all storage nodes of the cluster, including this one
   * @throws io.gauss.common.error.GaussException as {@link #load}
   */
  public static StorageNodeSettings of(
      Path data,
      int node,
      List<StorageAddress> nodes,
      ClusterKey key,
      Map<String, String> overrides) {
    SettingValues values = SettingValues.load(NodeKind.STORAGE, data, overrides);
    StorageAddress self =
        nodes.stream().filter(address -> address.node() == node).findAny().orElseThrow();
    return new StorageNodeSettings(values, self, List.copyOf(nodes), key, null);
  }

  /** The value of a setting that storage nodes have. */
  public <T> T get(NodeSetting<T> row) {
    return values.get(row);
  }

  /** The node's number. */
  public int node() {
    return self.node();
  }

  /** The node's data directory. */
  public Path data() {
    return values.data();
  }

  StorageAddress self() {
    return self;
  }

  /**
   * The storage nodes with which the cluster began, or that it had when this one was added,
   * including this one. The first leads the cluster map if it can.
   */
  List<StorageAddress> nodes() {
    return nodes;
  }

  /** Address on which this node listens for other nodes, also for Raft. */
  String peerListen() {
    return values.textOr(NodeSettingTable.PEER_LISTEN, self.host());
  }

  ClusterKey key() {
    return key;
  }

  /** How connections between nodes are encrypted; null = they are not. */
  public PeerTls tls() {
    return tls;
  }
}
