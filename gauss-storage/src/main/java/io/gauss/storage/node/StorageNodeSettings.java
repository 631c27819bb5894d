package io.gauss.storage.node;

import io.gauss.common.config.SettingValues;
import io.gauss.common.transport.ClusterKey;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.PeerTls;
import io.gauss.storage.api.StorageAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Settings of a storage node, from where those of a compute node come, too.
 *
 * @param data data directory
 * @param self this node
 * @param nodes the storage nodes with which the cluster began, or that it had when this one was
 *     added; this one is among them. Who leads the cluster map if it can is the first
 * @param peerListen address that other nodes are listened for on, by Raft as well; by default the
 *     host of {@code self}
 * @param zone where the node stands; streams are kept in several zones if there are several
 * @param lease for a new cluster: how long a compute node may answer after it was last heard of
 * @param clockLease for a new cluster: how long a compute node may take snapshots after another one
 *     has answered it
 * @param key the cluster's
 * @param tls how connections between nodes are encrypted; null = they are not
 * @param redoMemoryBytes memory for redo that waits to be folded into pages
 * @param pageWriteBytesPerSecond most that flushes and compactions of the page store write
 * @param checkpointBytes log bytes between checkpoints
 * @param checkpointInterval time between checkpoints
 * @param keepLogBytes how much of each stream's log is kept beyond the last checkpoint
 * @param diskReserveBytes appends are refused with less room on the disk, so that there is some
 *     left for checkpoints
 * @param metricsAddress address that metrics are served on
 * @param metricsPort port that metrics are served on; 0 = they are not
 */
public record StorageNodeSettings(
    Path data,
    StorageAddress self,
    List<StorageAddress> nodes,
    String peerListen,
    String zone,
    Duration lease,
    Duration clockLease,
    ClusterKey key,
    PeerTls tls,
    long redoMemoryBytes,
    long pageWriteBytesPerSecond,
    long checkpointBytes,
    Duration checkpointInterval,
    long keepLogBytes,
    long diskReserveBytes,
    String metricsAddress,
    int metricsPort) {
  private static final int LONGEST_LEASE_SECONDS = 600;
  private static final long SMALLEST_REDO_MEMORY = 16L << 20;

  /**
   * @param node this node's number
   * @param overrides from the command line
   * @throws io.gauss.common.error.GaussException 22023 for a value that makes no sense, 42704 for
   *     an unknown name, 58030 when a file cannot be read
   */
  public static StorageNodeSettings load(Path data, int node, Map<String, String> overrides) {
    Map<String, String> defaults = new TreeMap<>();
    defaults.put("cluster.key", "");
    defaults.put("storage.nodes", "");
    defaults.putAll(PeerTls.defaults());
    defaults.put("peer.listen", "");
    defaults.put("zone", "");
    defaults.put("cluster.lease", "3");
    defaults.put("cluster.clock-lease", "300");
    defaults.put("pages.redo-memory", "128MB");
    defaults.put("pages.write-rate", "256MB");
    defaults.put("checkpoint.bytes", "1GB");
    defaults.put("checkpoint.seconds", "300");
    defaults.put("log.keep", "1GB");
    defaults.put("disk.reserve", "256MB");
    defaults.put("metrics.address", "127.0.0.1");
    defaults.put("metrics.port", "0");
    return of(data, node, SettingValues.load(data, defaults, overrides));
  }

  private static StorageNodeSettings of(Path data, int node, SettingValues values) {
    List<StorageAddress> nodes = nodes(values);
    StorageAddress self =
        nodes.stream()
            .filter(address -> address.node() == node)
            .findAny()
            .orElseThrow(
                () -> values.invalid("storage.nodes", "a list with this node, " + node + ","));
    return new StorageNodeSettings(
        data,
        self,
        nodes,
        values.textOr("peer.listen", self.host()),
        values.text("zone"),
        Duration.ofSeconds(values.number("cluster.lease", 1, LONGEST_LEASE_SECONDS)),
        Duration.ofMillis(values.number("cluster.clock-lease", 100, 10_000)),
        ClusterKeyFile.read(keyFile(data, values)),
        PeerTls.of(values::text),
        values.bytes("pages.redo-memory", SMALLEST_REDO_MEMORY, "16MB"),
        values.bytes("pages.write-rate", 1L << 20, "1MB"),
        values.bytes("checkpoint.bytes", 1L << 20, "1MB"),
        Duration.ofSeconds(values.number("checkpoint.seconds", 1, 86_400)),
        values.bytes("log.keep"),
        values.bytes("disk.reserve"),
        values.text("metrics.address"),
        values.number("metrics.port", 0, 65_535));
  }

  /** Storage nodes as a setting names them. */
  public static List<StorageAddress> nodes(SettingValues values) {
    try {
      return StorageAddress.parse(values.text("storage.nodes"));
    } catch (IllegalArgumentException e) {
      throw values.invalid("storage.nodes", "number@host:port:raft-port, and so on,");
    }
  }

  /** Where the cluster's key is; by default in the data directory. */
  public static Path keyFile(Path data, SettingValues values) {
    String named = values.text("cluster.key");
    return named.isEmpty() ? data.resolve("cluster.key") : Path.of(named);
  }
}
