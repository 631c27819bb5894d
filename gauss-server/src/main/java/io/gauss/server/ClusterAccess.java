package io.gauss.server;

import io.gauss.common.config.NodeSetting;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.config.SettingValues;
import io.gauss.common.error.GaussException;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.PeerTls;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.common.transport.tcp.TransportTls;
import io.gauss.storage.api.StorageAddress;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * How a command reaches the storage nodes of a cluster: their addresses and the key, from the
 * environment (in a container of a node), or else from {@code gauss.properties} in a node's
 * directory, or in one of the directories below a cluster's.
 *
 * @param nodes the storage nodes
 * @param key file with the cluster's key
 * @param tls how connections are encrypted; null = they are not
 */
record ClusterAccess(List<StorageAddress> nodes, Path key, PeerTls tls) {
  private static final String NODE_DIRECTORIES = "{storage,memory,compute}-*";

  /** A tool has no epoch, like a node that has not registered yet. */
  private static final int NO_EPOCH = 0;

  /**
   * Looks for a cluster in a data directory; empty when its node keeps log and pages itself.
   *
   * @throws RefusedException when the addresses there are malformed
   */
  static Optional<ClusterAccess> find(Path data) throws IOException {
    return find(data, System.getenv());
  }

  static Optional<ClusterAccess> find(Path data, Map<String, String> environment)
      throws IOException {
    Optional<ClusterAccess> told =
        of("the environment", data, row -> environment.get(row.variable()));
    if (told.isPresent()) {
      return told;
    }
    for (Path directory : candidates(data)) {
      Path file = directory.resolve(SettingValues.FILE);
      if (!Files.exists(file)) {
        continue;
      }
      Properties properties = new Properties();
      try (Reader reader = Files.newBufferedReader(file)) {
        properties.load(reader);
      }
      Optional<ClusterAccess> found =
          of(file.toString(), directory, row -> properties.getProperty(row.name()));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /**
   * Empty when no storage nodes are named.
   *
   * @param origin source of the settings, for error messages
   * @param directory directory of the key unless the settings name its file
   * @param given returns the text of a setting; null = none
   */
  private static Optional<ClusterAccess> of(
      String origin, Path directory, Function<NodeSetting<?>, String> given) {
    String nodes = value(given, NodeSettingTable.STORAGE_NODES);
    if (nodes.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new ClusterAccess(
              StorageAddress.parse(nodes),
              value(given, NodeSettingTable.CLUSTER_KEY)
                  .orElseGet(() -> directory.resolve(ClusterKeyFile.NAME)),
              PeerTls.of(row -> value(given, row))));
    } catch (IllegalArgumentException e) {
      throw new RefusedException(
          origin + ": " + NodeSettingTable.STORAGE_NODES.name() + ": " + e.getMessage());
    }
  }

  private static <T> T value(Function<NodeSetting<?>, String> given, NodeSetting<T> row) {
    String text = given.apply(row);
    return row.parse(text == null ? row.fallback().text().get() : text);
  }

  /** The directory itself, then those of nodes in it, most recently written first. */
  private static List<Path> candidates(Path data) throws IOException {
    List<Path> below = new ArrayList<>();
    if (Files.isDirectory(data)) {
      try (var found = Files.newDirectoryStream(data, NODE_DIRECTORIES)) {
        found.forEach(below::add);
      }
    }
    below.sort(
        (one, other) ->
            Long.compare(
                other.resolve(SettingValues.FILE).toFile().lastModified(),
                one.resolve(SettingValues.FILE).toFile().lastModified()));
    return Stream.concat(Stream.of(data), below.stream()).toList();
  }

  /**
   * Opens a transport that only connects. It takes no part in the cluster: it is in no map, and its
   * clock only follows others.
   *
   * @throws GaussException 58030 when the key cannot be read
   */
  Transport connect() {
    NodeIdentity self =
        NodeIdentity.of(
            NodeIdentity.MAX_NODE,
            NodeRole.TOOL,
            NO_EPOCH,
            new LamportClock(Lsn.MAX_NODE, Lsn.NONE));
    return new TcpTransport(
        new TransportConfig(
            self,
            ClusterKeyFile.read(key),
            EpochGuard.NONE,
            TransportSettings.DEFAULTS,
            new CompositeMeterRegistry()),
        new TcpOptions(SocketIo.best(), 1, TransportTls.of(tls, self)));
  }
}
