package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.command.MapCommand;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is to be changed so that all storage nodes keep all streams. */
class StreamSharesTest {
  private static final Set<Integer> ALL = Set.of(201, 202, 203, 204, 205);

  private final StorageMap cluster = new StorageMap();

  private void storage(int id, NodeState state) {
    cluster.storage(id, state);
  }

  private ClusterMap map(int replicas) {
    return cluster.map(replicas);
  }

  @Test
  void nothingIsToBeDoneWhereAllKeepAll() {
    storage(201, NodeState.UP);
    cluster.group(StreamGroup.founded(1, List.of(201), 201));
    assertEquals(List.of(), StreamShares.missing(map(1), 201, 0, ALL));
  }

  @Test
  void aNewStorageNodeGetsEveryStreamAndNewStreamsAreKeptByAll() {
    storage(201, NodeState.UP);
    storage(202, NodeState.UP);
    storage(203, NodeState.UP);
    cluster.group(StreamGroup.founded(1, List.of(201), 201));
    cluster.group(StreamGroup.founded(2, List.of(201, 202), 202));
    assertEquals(
        List.of(
            new MapCommand.ChangeSetting(ClusterSetting.STREAM_REPLICAS, 3),
            new MapCommand.ChangeReplicas(1, List.of(201, 202, 203), 201),
            new MapCommand.ChangeReplicas(2, List.of(201, 202, 203), 202)),
        StreamShares.missing(map(2), 203, 0, ALL));
  }

  /** Nothing is kept by fewer because one is away, or was retired. */
  @Test
  void copiesDoNotBecomeFewer() {
    storage(201, NodeState.UP);
    storage(202, NodeState.DEAD);
    cluster.group(StreamGroup.founded(1, List.of(201, 202), 202));
    assertEquals(List.of(), StreamShares.missing(map(2), 201, 0, ALL));
  }

  @Test
  void theOneThatTakesAnothersPlaceLeadsWhatThatOneLed() {
    storage(201, NodeState.UP);
    storage(202, NodeState.UP); // it is lost, but nobody has retired it yet
    storage(203, NodeState.UP);
    storage(204, NodeState.UP);
    cluster.group(StreamGroup.founded(1, List.of(201, 202, 203), 201));
    cluster.group(StreamGroup.founded(2, List.of(201, 202, 203), 202));
    assertEquals(
        List.of(
            new MapCommand.ChangeReplicas(1, List.of(201, 203, 204), 201),
            new MapCommand.ChangeReplicas(2, List.of(201, 203, 204), 204)),
        StreamShares.missing(map(3), 204, 202, ALL));
  }

  /**
   * Two join at the same time, one of them in the place of a node that is lost: what one takes out
   * of the map, the other one does not put back, or they would go on for ever.
   */
  @Test
  void whoJoinsDoesNotBringBackWhatAnotherOneReplaces() {
    storage(201, NodeState.UP);
    storage(202, NodeState.UP); // it is lost, but nobody has retired it yet
    storage(203, NodeState.UP);
    storage(204, NodeState.UP); // takes its place
    storage(205, NodeState.UP);
    cluster.group(StreamGroup.founded(1, List.of(201, 203, 204), 201)); // as 204 wants it
    Set<Integer> answering = Set.of(201, 203, 204, 205);
    List<Integer> replicas = List.of(201, 203, 204, 205);
    assertEquals(
        List.of(new MapCommand.ChangeReplicas(1, replicas, 201)),
        StreamShares.missing(map(5), 205, 0, answering));
    cluster.group(StreamGroup.founded(1, replicas, 201));
    assertEquals(List.of(), StreamShares.missing(map(5), 205, 0, answering));
    assertEquals(List.of(), StreamShares.missing(map(5), 204, 202, answering));
  }

  /** A change that another one has proposed by an older map may have come later. */
  @Test
  void oneThatWasLeftOutByAnOldChangeIsPutBack() {
    storage(201, NodeState.UP);
    storage(202, NodeState.UP);
    storage(203, NodeState.UP);
    cluster.group(StreamGroup.founded(1, List.of(201, 202), 201));
    assertEquals(
        List.of(new MapCommand.ChangeReplicas(1, List.of(201, 202, 203), 201)),
        StreamShares.missing(map(3), 202, 0, ALL));
  }

  /** A compute node that is new would wait for as many storage nodes as never come. */
  @Test
  void nobodyWaitsForCopiesAtTheOneThatWasReplaced() {
    storage(201, NodeState.UP);
    storage(202, NodeState.REMOVED);
    storage(203, NodeState.UP);
    storage(204, NodeState.UP);
    storage(205, NodeState.UP); // has counted 202, which was there still
    cluster.group(StreamGroup.founded(1, List.of(201, 203, 204, 205), 201));
    assertEquals(
        List.of(new MapCommand.ChangeSetting(ClusterSetting.STREAM_REPLICAS, 4)),
        StreamShares.missing(map(5), 204, 202, ALL));
    // The one that has replaced it may be complete before the other counts.
    assertEquals(
        List.of(new MapCommand.ChangeSetting(ClusterSetting.STREAM_REPLICAS, 4)),
        StreamShares.missing(map(5), 205, 0, ALL));
  }

  /** Whoever set it may be about to add one more. */
  @Test
  void copiesThatWereAskedForAreNotMadeFewer() {
    storage(201, NodeState.UP);
    storage(202, NodeState.UP);
    cluster.group(StreamGroup.founded(1, List.of(201, 202), 201));
    assertEquals(List.of(), StreamShares.missing(map(3), 202, 0, ALL));
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
