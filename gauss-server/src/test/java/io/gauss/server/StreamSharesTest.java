package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Lease;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.command.MapCommand;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is to be changed so that all storage nodes keep all streams. */
class StreamSharesTest {
  private final TreeMap<Integer, MapNode> nodes = new TreeMap<>();
  private final TreeMap<Integer, StreamGroup> groups = new TreeMap<>();

  private void storage(int id, NodeState state) {
    nodes.put(
        id,
        new MapNode(
            id,
            Set.of(Role.STORAGE),
            0,
            "",
            List.of(
                new Endpoint(Endpoint.Purpose.PEER, "10.0.0." + (id - 200), 7001),
                new Endpoint(Endpoint.Purpose.RAFT, "10.0.0." + (id - 200), 7002)),
            id,
            id,
            state,
            Lease.NONE,
            false));
  }

  private ClusterMap map(int replicas) {
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
        none.suspensions());
  }

  @Test
  void nothingIsToBeDoneWhereAllKeepAll() {
    storage(201, NodeState.UP);
    groups.put(1, StreamGroup.founded(1, List.of(201), 201));
    assertEquals(List.of(), StreamShares.missing(map(1), 201, 0));
  }

  @Test
  void aNewStorageNodeGetsEveryStreamAndNewStreamsAreKeptByAll() {
    storage(201, NodeState.UP);
    storage(202, NodeState.UP);
    storage(203, NodeState.UP);
    groups.put(1, StreamGroup.founded(1, List.of(201), 201));
    groups.put(2, StreamGroup.founded(2, List.of(201, 202), 202));
    assertEquals(
        List.of(
            new MapCommand.ChangeSetting(ClusterSetting.STREAM_REPLICAS, 3),
            new MapCommand.ChangeReplicas(1, List.of(201, 202, 203), 201),
            new MapCommand.ChangeReplicas(2, List.of(201, 202, 203), 202)),
        StreamShares.missing(map(2), 203, 0));
  }

  /** Nothing is kept by fewer because one is away, or was retired. */
  @Test
  void copiesDoNotBecomeFewer() {
    storage(201, NodeState.UP);
    storage(202, NodeState.DEAD);
    groups.put(1, StreamGroup.founded(1, List.of(201, 202), 202));
    assertEquals(List.of(), StreamShares.missing(map(2), 201, 0));
  }

  @Test
  void theOneThatTakesAnothersPlaceLeadsWhatThatOneLed() {
    storage(201, NodeState.UP);
    storage(202, NodeState.UP); // it is lost, but nobody has retired it yet
    storage(203, NodeState.UP);
    storage(204, NodeState.UP);
    groups.put(1, StreamGroup.founded(1, List.of(201, 202, 203), 201));
    groups.put(2, StreamGroup.founded(2, List.of(201, 202, 203), 202));
    assertEquals(
        List.of(
            new MapCommand.ChangeReplicas(1, List.of(201, 203, 204), 201),
            new MapCommand.ChangeReplicas(2, List.of(201, 203, 204), 204)),
        StreamShares.missing(map(3), 204, 202));
  }

  @Test
  void theLiveStorageNodesAreTold() {
    storage(201, NodeState.UP);
    storage(202, NodeState.DEAD);
    assertEquals(
        List.of(new StorageAddress(201, "10.0.0.1", 7001, 7002)),
        StreamShares.storageNodes(map(2)));
  }
}
