package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.Slice.Tenure;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.codec.ClusterMapCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The commands that change which storage nodes keep which slices. */
class SlicesTest {
  private static final BucketSet SOME = BucketSet.of(7, 8, 9);

  /** Nodes 1 to 3 have all slices, 4 and 5 nothing. */
  private static MapRun listed() {
    MapRun run = MapRun.withStorage(5);
    run.done(new MapCommand.ListSlices(List.of(1, 2, 3)));
    return run;
  }

  private static Slice slice(MapRun run) {
    return run.map().slices().slice(8);
  }

  private static void finish(MapRun run, int node, long since, BucketSet slices) {
    run.done(new MapCommand.FinishSliceMoves(node, run.node(node).epoch(), since, slices));
  }

  @Test
  void withFewerThanFourStorageNodesAllOfThemKeepEverything() {
    MapRun run = MapRun.withStorage(3);
    run.refused(Refusal.NOT_YET, new MapCommand.ListSlices(List.of(1, 2, 3)));
    run.refused(Refusal.INVALID, new MapCommand.MoveSlices(1, 2, SOME));
    assertFalse(run.map().slices().isListed());
    assertEquals(0, run.map().slices().count(1));
    run.join(0, Role.STORAGE);
    run.done(new MapCommand.ListSlices(List.of(1, 2, 3)));
    assertTrue(run.map().slices().isListed());
  }

  @Test
  void theListBeginsWithThoseThatHaveEverything() {
    MapRun run = MapRun.withStorage(5);
    run.join(0, Role.COMPUTE);
    run.refused(Refusal.INVALID, new MapCommand.ListSlices(List.of(1, 2)));
    run.refused(Refusal.INVALID, new MapCommand.ListSlices(List.of(1, 2, 2)));
    run.refused(Refusal.INVALID, new MapCommand.ListSlices(List.of(1, 2, 6)));
    run.done(new MapCommand.ListSlices(List.of(3, 1, 2)));
    SliceMap slices = run.map().slices();
    assertEquals(new TreeMap<>(Map.of(1, 0L, 2, 0L, 3, 0L)), slices.holders());
    assertEquals(List.of(1, 2, 3), slices.slice(4_095).replicas());
    assertEquals(SliceMap.SLICES, slices.replicasAt(1).size());
    assertEquals(BucketSet.NONE, slices.namedAt(4));
    long version = run.map().version();
    run.done(new MapCommand.ListSlices(List.of(3, 4, 5)));
    assertEquals(version, run.map().version(), "it is made once");
  }

  /** A build that does not know slices would answer for pages that it does not have. */
  @Test
  void whoDoesNotKnowSlicesMayNotJoinAClusterThatHasThem() {
    MapRun run = listed();
    assertEquals(ClusterMap.FORMAT_WITH_SLICES, run.map().formatVersion());
    MapCommand.Register register = run.register(0, 99, Role.STORAGE);
    run.refused(Refusal.UNKNOWN_FORMAT, register);
    assertInstanceOf(
        MapResult.Registered.class, run.apply(MapRun.knowingSlices(register)), "it may");
  }

  @Test
  void aMoveBeginsATenureAndEndsWhenTheNodeIsReady() {
    MapRun run = listed();
    run.done(new MapCommand.MoveSlices(1, 4, SOME));
    long since = run.map().version();
    assertEquals(since, slice(run).since(4));
    assertEquals(List.of(1, 2, 3), slice(run).replicas());
    assertTrue(slice(run).names(4) && !slice(run).isReplica(4));
    assertEquals(SOME, run.map().slices().moving());
    assertEquals(since, run.map().slices().holders().get(4));
    run.done(new MapCommand.MoveSlices(1, 4, SOME));
    assertEquals(since, run.map().version(), "asked twice");
    run.refused(Refusal.NOT_YET, new MapCommand.MoveSlices(2, 5, SOME));

    int epoch = run.node(4).epoch();
    run.refused(Refusal.WRONG_EPOCH, new MapCommand.FinishSliceMoves(4, epoch + 9, since, SOME));
    run.refused(Refusal.INVALID, new MapCommand.FinishSliceMoves(4, epoch, since - 1, SOME));
    run.refused(
        Refusal.INVALID, new MapCommand.FinishSliceMoves(5, run.node(5).epoch(), since, SOME));
    finish(run, 4, since, SOME);
    assertEquals(new Slice(tenures(2, 0, 3, 0, 4, since), 0, 0), slice(run));
    assertEquals(SliceMap.SLICES - SOME.size(), run.map().slices().count(1));
    assertTrue(run.map().slices().holders().containsKey(1), "it has others");
    long version = run.map().version();
    finish(run, 4, since, SOME);
    run.done(new MapCommand.MoveSlices(1, 4, SOME));
    assertEquals(version, run.map().version(), "said twice");
  }

  private static List<Tenure> tenures(long... pairs) {
    return IntStream.range(0, pairs.length / 2)
        .mapToObj(i -> new Tenure((int) pairs[2 * i], pairs[2 * i + 1]))
        .toList();
  }

  @Test
  void eachSliceIsJudgedByItself() {
    MapRun run = listed();
    run.done(new MapCommand.MoveSlices(1, 4, BucketSet.of(8)));
    assertEquals(
        new MapResult.AllBut(BucketSet.of(8), Refusal.NOT_YET, "a slice moves to node 4"),
        run.apply(new MapCommand.MoveSlices(1, 5, SOME)));
    assertEquals(5, run.map().slices().slice(7).to());
    assertEquals(4, run.map().slices().slice(8).to());
  }

  @Test
  void onlyAStorageNodeThatIsUpTakesSlicesIn() {
    MapRun run = listed();
    run.refused(Refusal.NOT_YET, new MapCommand.MoveSlices(1, 9, SOME));
    run.done(new MapCommand.Drain(4, run.node(4).epoch()));
    run.refused(Refusal.NOT_YET, new MapCommand.MoveSlices(1, 4, SOME));
    run.refused(Refusal.INVALID, new MapCommand.MoveSlices(1, 2, SOME));
    run.refused(Refusal.INVALID, new MapCommand.MoveSlices(4, 5, SOME));
    run.refused(Refusal.NOT_YET, new MapCommand.MoveSlices(0, 5, SOME));
  }

  @Test
  void aMoveThatIsCancelledLeavesTheNodeOut() {
    MapRun run = listed();
    run.done(new MapCommand.MoveSlices(1, 4, SOME));
    final long first = run.map().version();
    run.done(new MapCommand.CancelSliceMoves(SOME));
    assertEquals(List.of(1, 2, 3), slice(run).replicas());
    assertFalse(run.map().slices().holders().containsKey(4));
    run.refused(
        Refusal.INVALID, new MapCommand.FinishSliceMoves(4, run.node(4).epoch(), first, SOME));
    run.done(new MapCommand.MoveSlices(2, 4, SOME));
    assertEquals(run.map().version(), run.map().slices().holders().get(4));
    run.refused(
        Refusal.INVALID, new MapCommand.FinishSliceMoves(4, run.node(4).epoch(), first, SOME));
  }

  /** If another replica is lost during a move, it is that one that leaves. */
  @Test
  void aReplicaThatIsGivenUpDuringAMoveLeavesInTheOthersPlace() {
    MapRun run = listed();
    run.done(new MapCommand.MoveSlices(1, 4, SOME));
    long since = run.map().version();
    run.done(new MapCommand.GiveUpReplicas(2, since, 1, SOME));
    finish(run, 4, since, SOME);
    assertEquals(List.of(1, 3, 4), slice(run).replicas());
  }

  @Test
  void theLastReplicaIsNotGivenUpNorOneThatWasNamedLater() {
    MapRun run = listed();
    run.refused(Refusal.INVALID, new MapCommand.GiveUpReplicas(1, run.map().version(), 0, SOME));
    run.refused(Refusal.NOT_YET, new MapCommand.GiveUpReplicas(1, run.map().version(), 3, SOME));
    for (int node = 1; node <= 2; node++) {
      run.done(new MapCommand.GiveUpReplicas(node, run.map().version(), 1, SOME));
    }
    run.refused(Refusal.NOT_YET, new MapCommand.GiveUpReplicas(3, run.map().version(), 1, SOME));
    final long known = run.map().version();
    run.done(new MapCommand.MoveSlices(0, 1, SOME));
    run.refused(Refusal.INVALID, new MapCommand.GiveUpReplicas(1, known + 1, 1, SOME));
    finish(run, 1, run.map().version(), SOME);
    run.refused(Refusal.INVALID, new MapCommand.GiveUpReplicas(1, known, 1, SOME));
    run.refused(Refusal.NOT_YET, new MapCommand.MoveSlices(3, 4, SOME));
    assertEquals(0, run.map().slices().holders().get(1), "it had others all the time");
  }

  @Test
  void aNodeThatKeepsSlicesIsNotRetired() {
    MapRun run = MapRun.withStorage(5);
    run.done(new MapCommand.ChangeSetting(ClusterSetting.SLICE_REPLICAS, 2));
    run.done(new MapCommand.ListSlices(List.of(1, 2, 3)));
    run.refused(Refusal.NOT_YET, new MapCommand.RetireStorage(1));
    BucketSet all = run.map().slices().namedAt(1);
    run.done(new MapCommand.GiveUpReplicas(1, run.map().version(), 2, all));
    assertFalse(run.map().slices().holders().containsKey(1));
    run.done(new MapCommand.RetireStorage(1));
    run.done(new MapCommand.RemoveNode(1));
  }

  @Test
  void slicesThatContradictThemselvesAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Slice(List.of(), 0, 0));
    assertThrows(IllegalArgumentException.class, () -> new Slice(tenures(2, 0, 1, 0), 0, 0));
    assertThrows(IllegalArgumentException.class, () -> new Slice(tenures(1, 0, 1, 3), 0, 0));
    assertThrows(IllegalArgumentException.class, () -> new Slice(tenures(1, 0), 0, 1));
    assertThrows(IllegalArgumentException.class, () -> new Slice(tenures(1, 0, 2, 3), 1, 0));
    assertThrows(IllegalArgumentException.class, () -> new Slice(tenures(1, 0, 2, 3), 3, 2));
    assertThrows(IllegalArgumentException.class, () -> new Slice(tenures(1, -1), 0, 0));
  }

  /** As many entries as there were moves: the map goes to every node with each version. */
  @Test
  void theListIsSmallAlsoAfterManyMoves() {
    MapRun run = listed();
    final int fresh = ClusterMapCodec.encode(run.map()).length;
    Random random = new Random(1);
    for (int i = 0; i < 60; i++) {
      int[] some = random.ints(40, 0, SliceMap.SLICES).distinct().toArray();
      BucketSet slices = BucketSet.of(some);
      run.apply(new MapCommand.MoveSlices(1 + i % 5, 1 + (i + 3) % 5, slices));
      long since = run.map().version();
      run.apply(
          new MapCommand.FinishSliceMoves(
              1 + (i + 3) % 5, run.node(1 + (i + 3) % 5).epoch(), since, slices));
    }
    int size = ClusterMapCodec.encode(run.map()).length;
    assertTrue(fresh < 600 && size < 60_000, fresh + " and " + size + " bytes");
  }
}
