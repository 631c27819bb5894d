package io.gauss.compute.node;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.client.StoragePeers;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.node.StorageNodes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The cluster map as an operator's commands read and change it. */
final class MapTool implements AutoCloseable {
  private static final long SECONDS = 120;

  private final TcpTransport transport;
  private final StoragePeers peers;

  MapTool(StorageNodes nodes) {
    NodeIdentity self =
        NodeIdentity.of(
            NodeIdentity.MAX_NODE, NodeRole.TOOL, 0, new LamportClock(Lsn.MAX_NODE, Lsn.NONE));
    transport =
        new TcpTransport(
            new TransportConfig(
                self,
                ClusterKeyFile.read(nodes.key()),
                EpochGuard.NONE,
                TransportSettings.DEFAULTS,
                new SimpleMeterRegistry()),
            new TcpOptions(SocketIo.best(), 1, null));
    peers =
        new StoragePeers(
            transport, nodes.addresses().stream().map(StorageAddress::address).toList());
    peers.client().watch();
  }

  /** The first map that is so. */
  ClusterMap await(Predicate<ClusterMap> condition) throws Exception {
    return peers.client().await(condition).get(SECONDS, TimeUnit.SECONDS);
  }

  /** Has a node leave as {@code gauss drain} does. */
  void drain(int node) throws Exception {
    int epoch = await(map -> map.node(node).isPresent()).nodes().get(node).epoch();
    MapResult result =
        peers
            .client()
            .propose(new MapCommand.Drain(node, epoch), Duration.ofSeconds(SECONDS))
            .get(SECONDS, TimeUnit.SECONDS);
    if (!result.equals(MapResult.done())) {
      throw new IllegalStateException("drain: " + result);
    }
  }

  /** Says that a node's process has ended, as its supervisor does, though it may continue. */
  void kill(int node) throws Exception {
    long incarnation = await(map -> map.node(node).isPresent()).nodes().get(node).incarnation();
    peers
        .client()
        .reportExit(node, incarnation, Duration.ofSeconds(SECONDS))
        .get(SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    try (transport) {
      peers.close();
    }
  }
}
