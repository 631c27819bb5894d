package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.command.MapCommand;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A storage node that joins is complete when it has everything, whatever others do meanwhile. */
class JoiningStorageTest {
  private final StorageMap map = new StorageMap();

  private JoiningClusterFake cluster(int joining, int replicas) {
    return new JoiningClusterFake(map.map(replicas), joining);
  }

  private void storage(int... nodes) {
    for (int node : nodes) {
      map.storage(node, NodeState.UP);
    }
  }

  private static StreamShares shares(JoinedCluster cluster) {
    return new StreamShares(cluster, what -> {});
  }

  @Test
  void aJoinThatWasInterruptedWaitsForItsPages() throws InterruptedException {
    storage(201, 202, 203);
    map.group(StreamGroup.founded(1, List.of(201, 202, 203), 201));
    JoiningClusterFake cluster = cluster(203, 3);
    cluster.lackedMegabytes = 7;
    shares(cluster).take(203, true, 0);
    assertTrue(cluster.lackedMegabytes <= 1, "%d MB lack".formatted(cluster.lackedMegabytes));
  }

  /** One that has been away catches up while it serves. */
  @Test
  void oneThatWasCompleteWaitsForNothing() throws InterruptedException {
    storage(201, 202, 203);
    map.group(StreamGroup.founded(1, List.of(201, 202, 203), 201));
    JoiningClusterFake cluster = cluster(203, 3);
    cluster.lackedMegabytes = 7;
    shares(cluster).take(203, false, 0);
    assertEquals(7, cluster.lackedMegabytes);
  }

  @Test
  void oneThatIsLeftOutByAnOldChangeAtTheEndIsNotComplete() throws InterruptedException {
    storage(201, 202, 203, 204);
    map.group(StreamGroup.founded(1, List.of(201, 202, 203, 204), 201));
    JoiningClusterFake cluster = cluster(203, 4);
    cluster.meanwhile =
        () -> cluster.change(new MapCommand.ChangeReplicas(1, List.of(201, 202, 204), 201));
    shares(cluster).take(203, true, 0);
    assertEquals(List.of(List.of(201, 202, 203, 204)), cluster.replicas());
  }

  /** It may never come back. */
  @Test
  void whoReplacesDoesNotWaitForAnotherOneThatJoinsAndDies() throws InterruptedException {
    storage(201, 202, 203, 204, 205);
    map.group(StreamGroup.founded(1, List.of(201, 202, 203, 205), 201));
    JoiningClusterFake cluster = cluster(204, 5);
    cluster.silent.addAll(List.of(202, 205));
    shares(cluster).take(204, true, 202);
    assertEquals(List.of(List.of(201, 203, 204, 205)), cluster.replicas());
    assertTrue(cluster.map().node(202).filter(MapNode::isLive).isEmpty());
  }

  /** The other one has counted the one that was replaced, and proposes that when it is gone. */
  @Test
  void whoCountedTheOneThatWasReplacedMakesGoodForIt() throws InterruptedException {
    storage(201, 203, 204, 205);
    map.storage(202, NodeState.DEAD);
    map.group(StreamGroup.founded(1, List.of(201, 203, 204, 205), 201));
    JoiningClusterFake cluster = cluster(205, 4);
    cluster.meanwhile =
        () -> cluster.change(new MapCommand.ChangeSetting(ClusterSetting.STREAM_REPLICAS, 5));
    cluster.lackedMegabytes = 3;
    shares(cluster).take(205, true, 0);
    assertEquals(4, cluster.map().settings().get(ClusterSetting.STREAM_REPLICAS));
  }

  /** As the machine's own storage tells it when it starts. */
  @Test
  void theMapFromBeforeIsNotLookedAt() throws InterruptedException {
    storage(201, 202, 203);
    map.group(StreamGroup.founded(1, List.of(201, 202, 203), 201));
    JoiningClusterFake cluster = cluster(203, 3);
    cluster.change(new MapCommand.ChangeReplicas(1, List.of(201, 202), 201));
    StreamShares shares = shares(cluster);
    shares.awaitLeader();
    assertEquals(cluster.map(), cluster.known());
    shares.take(203, false, 0);
    assertEquals(List.of(List.of(201, 202, 203)), cluster.replicas());
  }

  /** The loss of the first one's disk would be that of the map. */
  @Test
  void theSecondOneIsCompleteWhenBothKeepTheMap() throws InterruptedException {
    storage(201, 202);
    map.group(StreamGroup.founded(1, List.of(201, 202), 201));
    JoiningClusterFake cluster = cluster(202, 2);
    cluster.pausesUntilTheMapIsKept = 5;
    shares(cluster).take(202, true, 0);
    assertEquals(Set.of(201, 202), cluster.keepersOfMap());
  }

  /** Of those that answer, two keep the map; the third one that joined and died may never come. */
  @Test
  void theSecondOneDoesNotWaitForAThirdOneToKeepTheMap() throws InterruptedException {
    storage(201, 202, 203);
    map.group(StreamGroup.founded(1, List.of(201, 202), 201));
    JoiningClusterFake cluster = cluster(202, 3);
    cluster.silent.add(203);
    cluster.pausesUntilTheMapIsKept = 5;
    shares(cluster).take(202, true, 0);
    assertEquals(Set.of(201, 202), cluster.keepersOfMap());
  }
}
