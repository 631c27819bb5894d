package io.gauss.memory.node;

import io.gauss.common.config.SettingValues;
import io.gauss.common.transport.ClusterKey;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.PeerTls;
import io.gauss.memory.cache.SlotLayout;
import io.gauss.storage.api.StorageAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Settings of a memory node, from where those of other nodes come, too.
 *
 * @param data directory with its settings; nothing is kept there
 * @param node its number in the cluster
 * @param storageNodes storage nodes, from which the rest of the cluster is learned
 * @param key the cluster's
 * @param tls how connections between nodes are encrypted; null = they are not
 * @param peerAddress where other nodes reach it
 * @param peerPort port for them; 0 = one that is free
 * @param peerListen address that they are listened for on; by default {@code peerAddress}
 * @param zone where it stands
 * @param eventLoops threads that serve buckets
 * @param directoryEntries most pages that it knows of at a time
 * @param cacheBytes memory for pages' bytes
 * @param maxLocks most locks that anybody has or wants at a time
 * @param metricsAddress address that metrics are served on
 * @param metricsPort port that metrics are served on; 0 = they are not
 */
public record MemoryNodeSettings(
    Path data,
    int node,
    List<StorageAddress> storageNodes,
    ClusterKey key,
    PeerTls tls,
    String peerAddress,
    int peerPort,
    String peerListen,
    String zone,
    int eventLoops,
    long directoryEntries,
    long cacheBytes,
    int maxLocks,
    String metricsAddress,
    int metricsPort) {
  private static final int MOST_LOOPS = 256;
  private static final int FEWEST_ENTRIES = 1_000;
  private static final int MOST_ENTRIES = 2_000_000_000;
  private static final int SLOTS_OF_A_LOOP = 16;

  /**
   * @param node this node's number
   * @param overrides from the command line
   * @throws io.gauss.common.error.GaussException 22023 for a value that makes no sense, 42704 for
   *     an unknown name, 58030 when a file cannot be read
   */
  public static MemoryNodeSettings load(Path data, int node, Map<String, String> overrides) {
    Map<String, String> defaults = new TreeMap<>();
    defaults.put("cluster.key", "");
    defaults.put("storage.nodes", "");
    defaults.putAll(PeerTls.defaults());
    defaults.put("peer.address", "127.0.0.1");
    defaults.put("peer.port", "0");
    defaults.put("peer.listen", "");
    defaults.put("zone", "");
    defaults.put(
        "threads.event-loops",
        Integer.toString(Math.max(1, Runtime.getRuntime().availableProcessors() / 2)));
    defaults.put("directory.entries", "1000000");
    defaults.put("cache.size", "256MB");
    defaults.put("locks.max", "100000");
    defaults.put("metrics.address", "127.0.0.1");
    defaults.put("metrics.port", "0");
    return of(data, node, SettingValues.load(data, defaults, overrides));
  }

  private static MemoryNodeSettings of(Path data, int node, SettingValues values) {
    int loops = values.number("threads.event-loops", 1, MOST_LOOPS);
    long leastCache = (long) loops * SLOTS_OF_A_LOOP * SlotLayout.BYTES;
    return new MemoryNodeSettings(
        data,
        node,
        storageNodes(values),
        ClusterKeyFile.read(keyFile(data, values)),
        PeerTls.of(values::text),
        values.text("peer.address"),
        values.number("peer.port", 0, 65_535),
        values.textOr("peer.listen", values.text("peer.address")),
        values.text("zone"),
        loops,
        values.number("directory.entries", FEWEST_ENTRIES, MOST_ENTRIES),
        values.bytes("cache.size", leastCache, leastCache + "B for " + loops + " event loops"),
        values.number("locks.max", 1_000, 100_000_000),
        values.text("metrics.address"),
        values.number("metrics.port", 0, 65_535));
  }

  private static List<StorageAddress> storageNodes(SettingValues values) {
    try {
      return StorageAddress.parse(values.text("storage.nodes"));
    } catch (IllegalArgumentException e) {
      throw values.invalid("storage.nodes", "number@host:port:raft-port, and so on,");
    }
  }

  private static Path keyFile(Path data, SettingValues values) {
    String named = values.text("cluster.key");
    return named.isEmpty() ? data.resolve("cluster.key") : Path.of(named);
  }

  /**
   * @throws IllegalArgumentException for a number that no node can have
   */
  public MemoryNodeSettings {
    if (node < 1 || node > NodeIdentity.MAX_NODE) {
      throw new IllegalArgumentException("node number " + node);
    }
    storageNodes = List.copyOf(storageNodes);
  }
}
