package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Lease;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.raft.GroupMember;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which storage nodes keep the cluster map. */
class MapMembersTest {
  private static ClusterMap map(Map<Integer, NodeState> states) {
    TreeMap<Integer, MapNode> nodes = new TreeMap<>();
    states.forEach(
        (id, state) ->
            nodes.put(
                id,
                new MapNode(
                    id,
                    Set.of(Role.STORAGE),
                    0,
                    "",
                    List.of(new Endpoint(Endpoint.Purpose.RAFT, "host", 1000 + id)),
                    id,
                    id,
                    state,
                    Lease.NONE,
                    false)));
    return new ClusterMap(
        1,
        new UUID(1, 2),
        1,
        ClusterSettings.DEFAULTS,
        100,
        100,
        0,
        nodes,
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        BucketMap.EMPTY,
        new TreeMap<>(),
        SliceMap.NONE);
  }

  private static List<GroupMember> members(int... nodes) {
    return IntStream.of(nodes).mapToObj(n -> new GroupMember(n, "host", 1000 + n, 1)).toList();
  }

  private static Set<Integer> wanted(ClusterMap map, int... now) {
    return GroupReconciler.mapMembers(map, members(now)).stream()
        .map(GroupMember::node)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void whileTheClusterBeginsNobodyHasToGo() {
    assertEquals(Set.of(1, 2, 3), wanted(map(Map.of(2, NodeState.JOINING)), 1, 2, 3));
  }

  @Test
  void aDeadMemberStaysWhenNobodyCanTakeItsPlace() {
    ClusterMap map = map(Map.of(1, NodeState.UP, 2, NodeState.UP, 3, NodeState.DEAD));
    assertEquals(Set.of(1, 2, 3), wanted(map, 1, 2, 3));
  }

  @Test
  void aDeadMemberMakesRoomForOneThatIsUp() {
    ClusterMap map =
        map(Map.of(1, NodeState.UP, 2, NodeState.UP, 3, NodeState.DEAD, 4, NodeState.UP));
    assertEquals(Set.of(1, 2, 4), wanted(map, 1, 2, 3));
  }

  @Test
  void aDeadMemberWhosePlaceIsTakenGoes() {
    ClusterMap map =
        map(Map.of(1, NodeState.DEAD, 2, NodeState.UP, 3, NodeState.UP, 4, NodeState.UP));
    assertEquals(Set.of(2, 3, 4), wanted(map, 1, 2, 3, 4));
  }

  @Test
  void aNodeThatIsStillJoiningTakesNoPlace() {
    ClusterMap map =
        map(Map.of(1, NodeState.UP, 2, NodeState.UP, 3, NodeState.DEAD, 4, NodeState.JOINING));
    assertEquals(Set.of(1, 2, 3), wanted(map, 1, 2, 3));
  }

  @Test
  void aFourthNodeIsKeptInReserveAndAFifthMakesFive() {
    Map<Integer, NodeState> states =
        new TreeMap<>(Map.of(1, NodeState.UP, 2, NodeState.UP, 3, NodeState.UP, 4, NodeState.UP));
    assertEquals(Set.of(1, 2, 3), wanted(map(states), 1, 2, 3));
    states.put(5, NodeState.UP);
    assertEquals(Set.of(1, 2, 3, 4, 5), wanted(map(states), 1, 2, 3));
    states.put(6, NodeState.UP);
    states.put(7, NodeState.UP);
    assertEquals(Set.of(1, 2, 3, 4, 5), wanted(map(states), 1, 2, 3, 4, 5));
  }
}
