package io.gauss.storage.map.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.transport.NodeAddress;
import io.gauss.storage.map.ClusterMapTransitions;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.StoragePeers.Target;
import io.gauss.storage.map.command.MapCommand;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which storage nodes are asked for the cluster map. */
class StoragePeersTest {
  private static final UUID CLUSTER = new UUID(1, 2);
  private static final List<Target> SEEDS = List.of(seed(1), seed(2), seed(3));

  private ClusterMap map = ClusterMap.EMPTY;

  private static NodeAddress at(int node) {
    return new NodeAddress("10.0.0." + node, 7000);
  }

  private static Target seed(int node) {
    return new Target(-node, at(node));
  }

  private static Target named(int node) {
    return new Target(node, at(node));
  }

  private void apply(MapCommand command) {
    map = ClusterMapTransitions.apply(map, command).map();
  }

  private void begin(int... nodes) {
    apply(new MapCommand.InitCluster(CLUSTER, 1, ClusterSettings.DEFAULTS));
    for (int node : nodes) {
      apply(
          new MapCommand.Register(
              CLUSTER,
              node,
              0,
              Set.of(Role.STORAGE),
              "",
              List.of(new Endpoint(Endpoint.Purpose.PEER, at(node).host(), at(node).port())),
              node,
              1,
              1));
      apply(new MapCommand.FinishJoin(node, map.nodes().get(node).epoch(), 0));
    }
  }

  @Test
  void whileTheMapNamesNobodyTheConfigurationIsAsked() {
    assertEquals(SEEDS, StoragePeers.targets(map, SEEDS));
  }

  @Test
  void thoseThatAreNotRegisteredYetAreAskedToo() {
    begin(2);
    assertEquals(List.of(named(2), seed(1), seed(3)), StoragePeers.targets(map, SEEDS));
  }

  @Test
  void whoeverIsDownIsAskedForItMayBeBack() {
    begin(1, 2, 3);
    apply(new MapCommand.DeclareExited(3, map.nodes().get(3).epoch(), 3));
    assertEquals(List.of(named(1), named(2), named(3)), StoragePeers.targets(map, SEEDS));
  }

  @Test
  void whoeverWasReplacedIsNotAskedAnyMore() {
    begin(1, 2, 3, 4);
    apply(new MapCommand.RetireStorage(3));
    assertEquals(List.of(named(1), named(2), named(4)), StoragePeers.targets(map, SEEDS));
  }
}
