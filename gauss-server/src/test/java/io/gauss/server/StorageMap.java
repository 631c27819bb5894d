package io.gauss.server;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Lease;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** Maps of clusters of machines, for tests. Machine N has the address 10.0.0.N. */
final class StorageMap {
  private final TreeMap<Integer, MapNode> nodes = new TreeMap<>();
  private final TreeMap<Integer, StreamGroup> groups = new TreeMap<>();

  /** A member that stores. */
  void storage(int id, NodeState state) {
    member(id, Role.STORAGE, state);
  }

  void member(int id, Role role, NodeState state) {
    String host = "10.0.0." + id % 100;
    nodes.put(
        id,
        new MapNode(
            id,
            Set.of(role),
            0,
            "",
            List.of(
                new Endpoint(Endpoint.Purpose.PEER, host, 7001),
                new Endpoint(Endpoint.Purpose.RAFT, host, 7002)),
            id,
            id,
            state,
            Lease.NONE,
            false));
  }

  /** Adds a stream, or changes it. */
  void group(StreamGroup group) {
    groups.put(group.slot(), group);
  }

  /**
   * @param replicas how many copies new streams get
   */
  ClusterMap map(int replicas) {
    ClusterMap none = ClusterMap.EMPTY;
    return new ClusterMap(
        1,
        new UUID(1, 1),
        1,
        none.settings().with(ClusterSetting.STREAM_REPLICAS, replicas),
        1,
        1,
        0,
        nodes,
        groups,
        none.streams(),
        none.joins(),
        none.deaths(),
        none.buckets(),
        none.suspensions(),
        none.slices());
  }
}
