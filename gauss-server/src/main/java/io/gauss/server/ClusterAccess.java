package io.gauss.server;

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
import java.util.stream.Stream;

/**
 * How a command reaches the storage nodes of a cluster: their addresses and the key, as they are in
 * the environment (in a container of a node), or else in {@code gauss.properties} of a node's
 * directory, or of those below a cluster's.
 *
 * @param nodes the storage nodes
 * @param key file with the cluster's key
 * @param tls how connections are encrypted; null = they are not
 */
record ClusterAccess(List<StorageAddress> nodes, Path key, PeerTls tls) {
  private static final String PROPERTIES = "gauss.properties";
  private static final String NODE_DIRECTORIES = "{storage,memory,compute}-*";
  private static final String NODES = "storage.nodes";
  private static final String KEY = "cluster.key";

  /** A tool has no epoch, like a node that has not registered yet. */
  private static final int NO_EPOCH = 0;

  /**
   * Looks for a cluster in a data directory; empty when what is there keeps log and pages itself.
   *
   * @throws RefusedException when the addresses there are not written as they should be
   */
  static Optional<ClusterAccess> find(Path data) throws IOException {
    return find(data, System.getenv());
  }

  static Optional<ClusterAccess> find(Path data, Map<String, String> environment)
      throws IOException {
    Optional<ClusterAccess> told = of(environment, data);
    if (told.isPresent()) {
      return told;
    }
    for (Path directory : candidates(data)) {
      Path file = directory.resolve(PROPERTIES);
      if (!Files.exists(file)) {
        continue;
      }
      Properties properties = new Properties();
      try (Reader reader = Files.newBufferedReader(file)) {
        properties.load(reader);
      }
      String nodes = properties.getProperty(NODES, "").strip();
      if (!nodes.isEmpty()) {
        return Optional.of(of(file.toString(), directory, properties));
      }
    }
    return Optional.empty();
  }

  /** What the environment says; empty when it names no storage nodes. */
  private static Optional<ClusterAccess> of(Map<String, String> environment, Path data) {
    Properties properties = new Properties();
    Stream.concat(Stream.of(NODES, KEY), PeerTls.defaults().keySet().stream())
        .forEach(
            name -> {
              String value = environment.get(SettingValues.variable(name));
              if (value != null) {
                properties.setProperty(name, value);
              }
            });
    return properties.getProperty(NODES, "").isBlank()
        ? Optional.empty()
        : Optional.of(of("the environment", data, properties));
  }

  /**
   * @param where the properties are from
   * @param directory where the key is unless they say it
   */
  private static ClusterAccess of(String where, Path directory, Properties properties) {
    String key = properties.getProperty(KEY, "").strip();
    try {
      return new ClusterAccess(
          StorageAddress.parse(properties.getProperty(NODES).strip()),
          key.isEmpty() ? directory.resolve(KEY) : Path.of(key),
          PeerTls.of(name -> properties.getProperty(name, "").strip()));
    } catch (IllegalArgumentException e) {
      throw new RefusedException(where + ": " + NODES + ": " + e.getMessage());
    }
  }

  /** The directory itself, then those of nodes in it, the one written last first. */
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
                other.resolve(PROPERTIES).toFile().lastModified(),
                one.resolve(PROPERTIES).toFile().lastModified()));
    return Stream.concat(Stream.of(data), below.stream()).toList();
  }

  /**
   * Opens a transport that only connects. It takes part in nothing: it is in no map, and its clock
   * is one that it has heard.
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
        new TcpOptions(TcpOptions.Io.BEST, 1, TransportTls.of(tls)));
  }
}
