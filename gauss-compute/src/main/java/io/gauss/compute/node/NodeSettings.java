package io.gauss.compute.node;

import io.gauss.common.config.SettingValues;
import io.gauss.common.error.GaussException;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.PeerTls;
import io.gauss.compute.buffer.RightsKept;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.node.StorageNodeSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Settings of a compute node. They come, the later winning, from the defaults, {@code
 * gauss.properties} in the data directory, the environment ({@code GAUSS_POOL_SIZE} for {@code
 * pool.size}), and the command line. Unknown names are errors.
 *
 * @param data data directory
 * @param port TCP port for clients
 * @param poolBytes size of the buffer pool
 * @param maxConnections most clients at a time
 * @param eventLoops threads that serve connections
 * @param checkpointBytes log bytes between checkpoints
 * @param checkpointSeconds time between checkpoints
 * @param redoMemoryBytes memory for redo that waits in the page store
 * @param pageWriteBytesPerSecond most that flushes and compactions of the page store write
 * @param metricsAddress address that metrics are served on
 * @param metricsPort port that metrics are served on; 0 = they are not
 * @param listenAddress address that clients are listened for on
 * @param trustLoopback whether clients of this machine need no password
 * @param passwordFile file with the password that the first role gets if it has none; null = none
 * @param authenticationTimeoutSeconds a connection that has not started a session by then is closed
 * @param tls certificate and key for encryption; null = none
 * @param slowStatementMillis statements that take as long are logged; -1 = none
 * @param storageTimeout how long a write waits for the log, and a page read for a storage node,
 *     before it fails
 * @param storageNodes storage nodes of the cluster, from which the others are learned; none = this
 *     process keeps log and pages itself
 * @param clusterKey file with the cluster's key
 * @param peerTls how connections between nodes are encrypted; null = they are not
 * @param node number in the cluster, unlike those of all other nodes
 * @param peerAddress where the cluster's other nodes reach this one
 * @param peerPort port for them; 0 = one that is free
 * @param peerListen address that other nodes are listened for on; by default {@code peerAddress}
 * @param zone where the node stands; its stream is led by a storage node of the same zone
 * @param drainGrace for how long transactions may go on when the node is drained
 * @param rightsKept how long rights to pages are kept
 * @param samplesPerSecond transactions that are sampled for routing, at most; 0 = none
 * @param learnsRouting whether this node learns from samples while it is its turn
 * @param placedPerSecond pages that it gets a second at most before they are wanted; 0 = none
 * @param reroutes whether transactions of clients that choose no node go to better ones
 */
public record NodeSettings(
    Path data,
    int port,
    long poolBytes,
    int maxConnections,
    int eventLoops,
    long checkpointBytes,
    int checkpointSeconds,
    long redoMemoryBytes,
    long pageWriteBytesPerSecond,
    String metricsAddress,
    int metricsPort,
    int slowStatementMillis,
    String listenAddress,
    boolean trustLoopback,
    Path passwordFile,
    int authenticationTimeoutSeconds,
    TlsFiles tls,
    Duration storageTimeout,
    List<StorageAddress> storageNodes,
    Path clusterKey,
    PeerTls peerTls,
    int node,
    String peerAddress,
    int peerPort,
    String peerListen,
    String zone,
    Duration drainGrace,
    RightsKept rightsKept,
    int samplesPerSecond,
    boolean learnsRouting,
    int placedPerSecond,
    boolean reroutes) {

  /**
   * @param generate whether they are made when they are not there
   */
  public record TlsFiles(Path certificate, Path key, boolean generate) {}

  private static final long SMALLEST_POOL = 8L << 20;
  private static final long SMALLEST_WRITE_RATE = 1L << 20;
  private static final long LARGEST_DEFAULT_POOL = 2L << 30;
  private static final long SMALLEST_REDO_MEMORY = 16L << 20;
  private static final long LARGEST_DEFAULT_REDO_MEMORY = 1L << 30;

  /**
   * @param overrides from the command line
   * @throws GaussException 22023 for a value that makes no sense, 42704 for an unknown name
   */
  public static NodeSettings load(Path data, int port, Map<String, String> overrides) {
    Map<String, String> values = new TreeMap<>();
    values.put("pool.size", Long.toString(defaultPoolBytes()));
    values.put("connections.max", "10000");
    values.put(
        "threads.event-loops",
        Integer.toString(Math.max(1, Runtime.getRuntime().availableProcessors())));
    values.put("checkpoint.bytes", "1GB");
    values.put("checkpoint.seconds", "300");
    values.put("pages.redo-memory", Long.toString(defaultRedoMemoryBytes()));
    values.put("pages.write-rate", "256MB");
    values.put("metrics.address", "127.0.0.1");
    values.put("metrics.port", "0");
    values.put("log.min-duration-statement", "-1");
    values.put("listen.address", "127.0.0.1");
    values.put("auth.loopback", "trust");
    values.put("auth.password-file", "");
    values.put("auth.timeout", "60");
    values.put("tls", "off");
    values.put("tls.certificate", "");
    values.put("tls.key", "");
    values.put("storage.timeout", "10");
    values.put("storage.nodes", "");
    values.put("cluster.key", "");
    values.putAll(PeerTls.defaults());
    values.put("cluster.node", "1");
    values.put("peer.address", "127.0.0.1");
    values.put("peer.port", "0");
    values.put("peer.listen", "");
    values.put("zone", "");
    values.put("drain.grace", "60");
    values.put("pages.rights", "until-wanted");
    values.put("routing.samples", "100");
    values.put("routing.learning", "off");
    values.put("routing.placement", "2000");
    values.put("routing.reroute", "off");
    return of(data, port, SettingValues.load(data, values, overrides));
  }

  private static NodeSettings of(Path data, int port, SettingValues values) {
    return new NodeSettings(
        data,
        port,
        values.bytes("pool.size", SMALLEST_POOL, "8MB"),
        values.number("connections.max", 1, 1_000_000),
        values.number("threads.event-loops", 1, 1024),
        values.bytes("checkpoint.bytes"),
        values.number("checkpoint.seconds", 1, 86_400),
        values.bytes("pages.redo-memory", SMALLEST_REDO_MEMORY, "16MB"),
        values.bytes("pages.write-rate", SMALLEST_WRITE_RATE, "1MB"),
        values.text("metrics.address"),
        values.number("metrics.port", 0, 65_535),
        values.number("log.min-duration-statement", -1, Integer.MAX_VALUE),
        values.text("listen.address"),
        values.oneOf("auth.loopback", "trust", "scram").equals("trust"),
        values.text("auth.password-file").isEmpty()
            ? null
            : Path.of(values.text("auth.password-file")),
        values.number("auth.timeout", 1, 600),
        tls(data, values),
        Duration.ofSeconds(values.number("storage.timeout", 1, 86_400)),
        values.text("storage.nodes").isEmpty() ? List.of() : StorageNodeSettings.nodes(values),
        StorageNodeSettings.keyFile(data, values),
        PeerTls.of(values::text),
        values.number("cluster.node", 1, NodeIdentity.MAX_NODE),
        values.text("peer.address"),
        values.number("peer.port", 0, 65_535),
        values.textOr("peer.listen", values.text("peer.address")),
        values.text("zone"),
        Duration.ofSeconds(values.number("drain.grace", 0, 86_400)),
        switch (values.oneOf("pages.rights", "until-wanted", "alone", "per-transaction")) {
          case "alone" -> RightsKept.ALONE;
          case "per-transaction" -> RightsKept.PER_TRANSACTION;
          default -> RightsKept.UNTIL_WANTED;
        },
        values.number("routing.samples", 0, 10_000),
        values.oneOf("routing.learning", "on", "off").equals("on"),
        values.number("routing.placement", 0, 100_000),
        values.oneOf("routing.reroute", "on", "off").equals("on"));
  }

  private static TlsFiles tls(Path data, SettingValues values) {
    String certificate = values.text("tls.certificate");
    String key = values.text("tls.key");
    if (certificate.isEmpty() != key.isEmpty()) {
      throw values.invalid("tls.key", "certificate and key together");
    }
    return switch (values.oneOf("tls", "off", "on", "generate")) {
      case "generate" -> {
        if (!key.isEmpty()) {
          throw values.invalid("tls", "\"on\" with a certificate that is there");
        }
        Path directory = data.resolve("tls");
        yield new TlsFiles(
            directory.resolve("certificate.pem"), directory.resolve("key.pem"), true);
      }
      case "on" -> {
        if (key.isEmpty()) {
          throw values.invalid("tls", "tls.certificate and tls.key beside it");
        }
        yield new TlsFiles(Path.of(certificate), Path.of(key), false);
      }
      default -> key.isEmpty() ? null : new TlsFiles(Path.of(certificate), Path.of(key), false);
    };
  }

  private static long defaultPoolBytes() {
    return Math.clamp(memoryBytes() / 4, SMALLEST_POOL, LARGEST_DEFAULT_POOL);
  }

  private static long defaultRedoMemoryBytes() {
    return Math.clamp(memoryBytes() / 24, SMALLEST_REDO_MEMORY, LARGEST_DEFAULT_REDO_MEMORY);
  }

  /** The memory that this process may use, which in a container is the container's. */
  private static long memoryBytes() {
    return java.lang.management.ManagementFactory.getPlatformMXBean(
            com.sun.management.OperatingSystemMXBean.class)
        .getTotalMemorySize();
  }
}
