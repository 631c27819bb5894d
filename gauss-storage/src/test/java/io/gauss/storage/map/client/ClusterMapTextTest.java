package io.gauss.storage.map.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.ClusterMapTransitions;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.message.MapAnswer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The text for operators. */
class ClusterMapTextTest {
  private ClusterMap map = ClusterMap.EMPTY;

  private void apply(MapCommand command) {
    map = ClusterMapTransitions.apply(map, command).map();
  }

  private void register(int node, Role role) {
    apply(
        new MapCommand.Register(
            map.cluster(),
            node,
            0,
            Set.of(role),
            "",
            List.of(new Endpoint(Endpoint.Purpose.PEER, "10.0.0." + node, 7000)),
            node,
            1,
            1));
  }

  private void up(int node, Role role) {
    register(node, role);
    apply(new MapCommand.FinishJoin(node, map.nodes().get(node).epoch(), 0));
  }

  @Test
  void aClusterWithADeadAndAJoiningNode() {
    apply(
        new MapCommand.InitCluster(
            new UUID(1, 2), 1, ClusterSettings.DEFAULTS.with(ClusterSetting.STREAM_REPLICAS, 1)));
    up(1, Role.STORAGE);
    up(2, Role.COMPUTE);
    register(3, Role.COMPUTE);
    up(4, Role.MEMORY);
    apply(new MapCommand.ExpireLease(2, 2, 0));
    apply(new MapCommand.StreamSealed(2, 8192, 0x100));
    String text =
        ClusterMapText.render(
            new MapAnswer.Status(map, 1, new TreeMap<>(Map.of(3, 3100, 4, 2950))));
    assertEquals(
        """
        cluster 00000000-0000-0001-0000-000000000002, format 1, map version 10, led by storage node 1

        node  role             state      epoch  slot     lease  address
        1     storage          UP             1     -         -  peer=10.0.0.1:7000
        2     compute          DEAD           2     1         -  peer=10.0.0.2:7000
        3     compute          JOINING        3     2   3100 ms  peer=10.0.0.3:7000
        4     memory           UP             4     -   2950 ms  peer=10.0.0.4:7000

        slot   epoch state              end  replicas     preferred leader
        1          2 SEALED            8192  1            1
        2          3 OPEN                 -  1            1

        node 4 is home of 4096 buckets
        node 3 joins
        epoch 2 of node 2 has ended (its lease ended): nodes 3,4 have not taken note of it yet
        """,
        text);
  }

  @Test
  void bucketsThatMoveAreNamedTogether() {
    apply(
        new MapCommand.InitCluster(
            new UUID(1, 2), 1, ClusterSettings.DEFAULTS.with(ClusterSetting.STREAM_REPLICAS, 1)));
    up(1, Role.STORAGE);
    up(2, Role.MEMORY);
    up(3, Role.COMPUTE);
    up(4, Role.MEMORY);
    apply(new MapCommand.MoveBuckets(4, BucketSet.of(5, 6, 7, 9)));
    apply(
        new MapCommand.GiveBuckets(2, map.nodes().get(2).epoch(), map.version(), BucketSet.of(6)));
    String text = ClusterMapText.render(new MapAnswer.Status(map, 1, new TreeMap<>()));
    assertTrue(
        text.contains(
            """
            1 buckets move to node 4: 6
            3 buckets move to node 4 from 2: 5 7 9
            """),
        text);
  }

  @Test
  void slicesThatMoveAndThoseThatLackReplicas() {
    apply(new MapCommand.InitCluster(new UUID(1, 2), 1, ClusterSettings.DEFAULTS));
    for (int node = 1; node <= 4; node++) {
      up(node, Role.STORAGE);
    }
    apply(new MapCommand.ListSlices(List.of(1, 2, 3)));
    apply(new MapCommand.MoveSlices(3, 4, BucketSet.of(5, 6, 9)));
    apply(new MapCommand.GiveUpReplicas(2, map.version(), 1, BucketSet.of(100, 101)));
    String text = ClusterMapText.render(new MapAnswer.Status(map, 1, new TreeMap<>()));
    assertTrue(
        text.endsWith(
            """

            node 1 keeps 4096 slices
            node 2 keeps 4094 slices
            node 3 keeps 4096 slices
            node 4 keeps 0 slices
            3 slices move to node 4 from 3: 5-6 9
            2 slices are at fewer than 3 nodes
            """),
        text);
  }
}
