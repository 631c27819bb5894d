package io.gauss.simulation.cluster;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.simulation.SimulatedNetwork;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.StoragePeers;
import io.gauss.storage.map.command.MapCommand;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Whoever gives orders to a simulated cluster, over its network. Made on a thread of no node. */
final class Operator {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final ClusterMapClient cluster;

  Operator(SimulatedNetwork network, Path key, List<StorageAddress> storage) {
    NodeIdentity self =
        NodeIdentity.of(
            NodeIdentity.MAX_NODE, NodeRole.TOOL, 0, new LamportClock(Lsn.MAX_NODE, Lsn.NONE));
    StoragePeers peers =
        new StoragePeers(
            network.transport(
                new TransportConfig(
                    self,
                    ClusterKeyFile.read(key),
                    EpochGuard.NONE,
                    TransportSettings.DEFAULTS,
                    new SimpleMeterRegistry())),
            storage.stream().map(StorageAddress::address).toList());
    cluster = peers.client();
    cluster.watch();
  }

  /** Asks a compute or memory node to leave, unless it is the last of its kind. Does not wait. */
  void drain(int number) {
    cluster
        .await(map -> map.node(number).isPresent())
        .thenAccept(
            map -> {
              MapNode node = map.nodes().get(number);
              if (node.isLive() && isOneOfMany(map, node)) {
                cluster.propose(new MapCommand.Drain(number, node.epoch()), TIMEOUT);
              }
            });
  }

  private static boolean isOneOfMany(ClusterMap map, MapNode node) {
    Role role = node.has(Role.COMPUTE) ? Role.COMPUTE : Role.MEMORY;
    return map.live(role).stream().filter(other -> other.state().isServing()).count() > 1;
  }
}
