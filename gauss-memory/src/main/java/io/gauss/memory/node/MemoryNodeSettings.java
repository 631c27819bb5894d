package io.gauss.memory.node;

import io.gauss.common.config.NodeKind;
import io.gauss.common.config.NodeSetting;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.config.SettingValues;
import io.gauss.common.transport.ClusterKey;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.PeerExposure;
import io.gauss.common.transport.PeerTls;
import io.gauss.memory.cache.SlotLayout;
import io.gauss.storage.api.StorageAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Settings of a memory node, all of them valid. Immutable. */
public final class MemoryNodeSettings {
  private static final int SLOTS_OF_A_LOOP = 16;

  private final SettingValues values;
  private final int node;
  private final List<StorageAddress> storageNodes;
  private final ClusterKey key;
  private final PeerTls tls;

  private MemoryNodeSettings(
      SettingValues values,
      int node,
      List<StorageAddress> storageNodes,
      ClusterKey key,
      PeerTls tls) {
    this.values = values;
    this.node = node;
    this.storageNodes = storageNodes;
    this.key = key;
    this.tls = tls;
  }

  /**
   * @param data directory with its settings; no data is stored there
   * @param node number of this node
   * @param overrides from the command line
   * @throws io.gauss.common.error.GaussException 22023 for a value that makes no sense, 42704 for
   *     an unknown name, 58030 when a file cannot be read
   * @throws IllegalArgumentException for a number that no node can have
   */
  public static MemoryNodeSettings load(Path data, int node, Map<String, String> overrides) {
    if (node < 1 || node > NodeIdentity.MAX_NODE) {
      throw new IllegalArgumentException("node number " + node);
    }
    SettingValues values = SettingValues.load(NodeKind.MEMORY, data, overrides);
    int loops = values.get(NodeSettingTable.MEMORY_EVENT_LOOPS);
    long leastCache = (long) loops * SLOTS_OF_A_LOOP * SlotLayout.BYTES;
    if (values.get(NodeSettingTable.CACHE_SIZE) < leastCache) {
      throw values.invalid(
          NodeSettingTable.CACHE_SIZE,
          "bytes, from " + leastCache + "B for " + loops + " event loops");
    }
    MemoryNodeSettings settings =
        new MemoryNodeSettings(
            values,
            node,
            List.copyOf(values.get(NodeSettingTable.STORAGE_NODES, StorageAddress::parse)),
            ClusterKeyFile.read(values.file(NodeSettingTable.CLUSTER_KEY, ClusterKeyFile.NAME)),
            PeerTls.of(values::get));
    PeerExposure.check(
        values,
        settings.tls,
        List.of(values.get(NodeSettingTable.PEER_ADDRESS), settings.peerListen()));
    return settings;
  }

  /** The value of a setting that memory nodes have. */
  public <T> T get(NodeSetting<T> row) {
    return values.get(row);
  }

  /** The same with another value, which may be outside its range; for tests. */
  public <T> MemoryNodeSettings with(NodeSetting<T> row, T value) {
    return new MemoryNodeSettings(values.with(row, value), node, storageNodes, key, tls);
  }

  /** Its number in the cluster. */
  int node() {
    return node;
  }

  /** Storage nodes, from which the rest of the cluster is learned. */
  List<StorageAddress> storageNodes() {
    return storageNodes;
  }

  /** Address on which this node listens for other nodes. */
  String peerListen() {
    return values.textOr(NodeSettingTable.PEER_LISTEN, get(NodeSettingTable.PEER_ADDRESS));
  }

  ClusterKey key() {
    return key;
  }

  /** How connections between nodes are encrypted; null = they are not. */
  public PeerTls tls() {
    return tls;
  }
}
