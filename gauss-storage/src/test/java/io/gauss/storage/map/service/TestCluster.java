package io.gauss.storage.map.service;

import io.gauss.storage.map.ClusterMapTransitions;
import io.gauss.storage.map.ClusterMapTransitions.Applied;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** A map with one storage node, number 1, and the additions of a test. */
final class TestCluster {
  static final UUID CLUSTER = new UUID(1, 2);

  private ClusterMap map = ClusterMap.EMPTY;
  private long incarnations = 10;

  TestCluster() {
    apply(init(1));
    up(Role.STORAGE);
  }

  static MapCommand.InitCluster init(int replicas) {
    return new MapCommand.InitCluster(
        CLUSTER, 1, ClusterSettings.DEFAULTS.with(ClusterSetting.STREAM_REPLICAS, replicas));
  }

  static MapCommand.Register register(long incarnation, int port, Role... roles) {
    return new MapCommand.Register(
        CLUSTER,
        0,
        0,
        Set.of(roles),
        "",
        List.of(new Endpoint(Endpoint.Purpose.PEER, "127.0.0.1", port)),
        incarnation,
        1,
        1);
  }

  ClusterMap map() {
    return map;
  }

  MapResult apply(MapCommand command) {
    Applied applied = ClusterMapTransitions.apply(map, command);
    map = applied.map();
    return applied.result();
  }

  /** A new node that is UP; its number. */
  int up(Role... roles) {
    MapResult.Registered node =
        (MapResult.Registered) apply(register(++incarnations, 7_000, roles));
    apply(new MapCommand.FinishJoin(node.node(), node.epoch(), 0));
    return node.node();
  }

  int epoch(int node) {
    return map.nodes().get(node).epoch();
  }
}
