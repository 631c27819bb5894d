package io.gauss.compute.node;

import io.gauss.common.config.NodeKind;
import io.gauss.common.config.NodeSetting;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.config.SettingValues;
import io.gauss.common.error.GaussException;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.PeerExposure;
import io.gauss.common.transport.PeerTls;
import io.gauss.storage.api.StorageAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Settings of a compute node, all of them valid. Immutable. */
public final class NodeSettings {
  private final SettingValues values;
  private final int port;
  private final List<StorageAddress> storageNodes;
  private final PeerTls peerTls;
  private final TlsFiles tls;
  private final ClientAddress clients;

  /**
   * @param generate whether they are created when they do not exist
   */
  record TlsFiles(Path certificate, Path key, boolean generate) {}

  private NodeSettings(SettingValues values, int port) {
    this.values = values;
    this.port = port;
    this.storageNodes =
        List.copyOf(values.get(NodeSettingTable.STORAGE_NODES, NodeSettings::storageNodes));
    this.peerTls = PeerTls.of(values::get);
    this.tls = tls(values);
    this.clients = clients(values);
    if (values.get(NodeSettingTable.TLS_REQUIRED) && tls == null) {
      throw values.invalid(NodeSettingTable.TLS_REQUIRED, "off, or encryption by tls beside it");
    }
    if (!storageNodes.isEmpty()) {
      PeerExposure.check(
          values, peerTls, List.of(get(NodeSettingTable.PEER_ADDRESS), peerListen()));
    }
  }

  /**
   * @param data data directory
   * @param port TCP port for clients; 0 = one that is free
   * @param overrides from the command line
   * @throws GaussException 22023 for an invalid value, 42704 for an unknown name, 58030 when the
   *     file of settings cannot be read
   */
  public static NodeSettings load(Path data, int port, Map<String, String> overrides) {
    return new NodeSettings(SettingValues.load(NodeKind.COMPUTE, data, overrides), port);
  }

  private static List<StorageAddress> storageNodes(String text) {
    return text.isEmpty() ? List.of() : StorageAddress.parse(text);
  }

  private ClientAddress clients(SettingValues values) {
    if (!values.get(NodeSettingTable.ADVERTISE_ADDRESS).isEmpty()) {
      return values.get(NodeSettingTable.ADVERTISE_ADDRESS, ClientAddress::parse);
    }
    return new ClientAddress(
        storageNodes.isEmpty() ? listensAt() : get(NodeSettingTable.PEER_ADDRESS), 0);
  }

  private static TlsFiles tls(SettingValues values) {
    Optional<Path> certificate = values.get(NodeSettingTable.TLS_CERTIFICATE);
    Optional<Path> key = values.get(NodeSettingTable.TLS_KEY);
    if (certificate.isEmpty() != key.isEmpty()) {
      throw values.invalid(NodeSettingTable.TLS_KEY, "certificate and key together");
    }
    return switch (values.get(NodeSettingTable.TLS)) {
      case GENERATE -> {
        if (key.isPresent()) {
          throw values.invalid(NodeSettingTable.TLS, "\"on\" with a certificate that is there");
        }
        Path directory = values.data().resolve("tls");
        yield new TlsFiles(
            directory.resolve("certificate.pem"), directory.resolve("key.pem"), true);
      }
      case ON -> {
        if (key.isEmpty()) {
          throw values.invalid(NodeSettingTable.TLS, "tls.certificate and tls.key beside it");
        }
        yield new TlsFiles(certificate.get(), key.get(), false);
      }
      case OFF -> key.isEmpty() ? null : new TlsFiles(certificate.get(), key.get(), false);
    };
  }

  /** The value of a setting of compute nodes. */
  public <T> T get(NodeSetting<T> row) {
    return values.get(row);
  }

  /** The same with another value of one setting, which is not checked. */
  public <T> NodeSettings with(NodeSetting<T> row, T value) {
    return new NodeSettings(values.with(row, value), port);
  }

  /** The node's data directory. */
  public Path data() {
    return values.data();
  }

  /** TCP port for clients; 0 = one that is free. */
  int port() {
    return port;
  }

  /** An address of this machine at which clients of this machine reach the node. */
  public String listensAt() {
    return ClientAddress.onThisMachine(get(NodeSettingTable.LISTEN_ADDRESS));
  }

  /** Where clients are told to connect. */
  ClientAddress clients() {
    return clients;
  }

  /** Number in the cluster, unique among all nodes. */
  public int node() {
    return get(NodeSettingTable.CLUSTER_NODE);
  }

  /** Address on which the node listens for other nodes. */
  String peerListen() {
    return values.textOr(NodeSettingTable.PEER_LISTEN, get(NodeSettingTable.PEER_ADDRESS));
  }

  /** Certificate and key for clients; null = none. */
  TlsFiles tls() {
    return tls;
  }

  /**
   * Storage nodes of the cluster, through which the other nodes are found; none = this process
   * keeps log and pages itself.
   */
  List<StorageAddress> storageNodes() {
    return storageNodes;
  }

  /** File with the cluster's key. */
  Path clusterKey() {
    return values.file(NodeSettingTable.CLUSTER_KEY, ClusterKeyFile.NAME);
  }

  /** How connections between nodes are encrypted; null = they are not. */
  PeerTls peerTls() {
    return peerTls;
  }
}
