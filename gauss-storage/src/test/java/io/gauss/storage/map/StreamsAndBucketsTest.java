package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.api.BucketBalance;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketMap.BucketState;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult.AllBut;
import io.gauss.storage.map.command.MapResult.Refusal;
import io.gauss.storage.map.command.MapResult.Refused;
import io.gauss.storage.map.command.MapResult.Registered;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Placement of streams and buckets. */
class StreamsAndBucketsTest {
  private final MapRun run = MapRun.withStorage(3);
  private int incarnations;

  @Test
  void leadersOfStreamsAreSpreadOverTheStorageNodes() {
    for (int i = 0; i < 3; i++) {
      run.join(0, Role.COMPUTE);
    }
    List<Integer> leaders =
        run.map().streamGroups().values().stream().map(StreamGroup::preferredLeader).toList();
    assertEquals(List.of(1, 2, 3), leaders);
  }

  @Test
  void aStreamIsLedInTheZoneOfItsWriterAndKeptInOtherZonesToo() {
    for (String zone : List.of("b", "b", "c")) {
      Registered storage = (Registered) run.apply(inZone(Role.STORAGE, zone, 900 + incarnations++));
      run.done(new MapCommand.FinishJoin(storage.node(), storage.epoch(), 0));
    }
    Registered compute = (Registered) run.apply(inZone(Role.COMPUTE, "b", 800));
    assertEquals(
        StreamGroup.founded(compute.slot(), List.of(1, 4, 6), 4),
        run.map().streamGroups().get(compute.slot()));
  }

  @Test
  void aStreamIsLedByTheStorageOfItsWritersHost() {
    for (String host : List.of("one", "two", "three")) {
      Registered storage =
          (Registered) run.apply(onHost(Role.STORAGE, host, "", 900 + incarnations++));
      run.done(new MapCommand.FinishJoin(storage.node(), storage.epoch(), 0));
    }
    for (String host : List.of("three", "one", "three", "two")) {
      Registered compute =
          (Registered) run.apply(onHost(Role.COMPUTE, host, "", 800 + incarnations++));
      int leader = run.map().streamGroups().get(compute.slot()).preferredLeader();
      assertEquals(host, run.map().nodes().get(leader).endpoints().getFirst().host());
    }
  }

  private static MapCommand.Register inZone(Role role, String zone, long incarnation) {
    return onHost(role, "host", zone, incarnation);
  }

  private static MapCommand.Register onHost(Role role, String host, String zone, long incarnation) {
    return new MapCommand.Register(
        MapRun.CLUSTER,
        0,
        0,
        Set.of(role),
        zone,
        List.of(new Endpoint(Endpoint.Purpose.PEER, host, 1)),
        incarnation,
        1,
        1);
  }

  @Test
  void aLostStorageNodeIsReplacedSlotBySlotAndThenRemoved() {
    Registered compute = run.join(0, Role.COMPUTE);
    run.join(0, Role.STORAGE);
    run.refused(Refusal.NOT_YET, new MapCommand.RemoveNode(3));
    run.done(new MapCommand.ChangeReplicas(compute.slot(), List.of(1, 2, 5), 1));
    assertEquals(
        new StreamGroup(compute.slot(), List.of(1, 2, 5), 1, List.of(1, 2, 3)),
        run.map().streamGroups().get(compute.slot()));
    run.done(new MapCommand.RetireStorage(3));
    run.refused(
        Refusal.INVALID, new MapCommand.ChangeReplicas(compute.slot(), List.of(1, 2, 3), 1));
    run.done(new MapCommand.RemoveNode(3));
    run.refused(Refusal.INVALID, new MapCommand.RetireStorage(compute.node()));
  }

  @Test
  void aStorageNodeIsNotRetiredBeforeAllItsStreamsHaveMoved() {
    Registered one = run.join(0, Role.COMPUTE);
    Registered two = run.join(0, Role.COMPUTE);
    run.join(0, Role.STORAGE);
    ClusterMap before = run.map();
    Refused both = refusalOf(new MapCommand.RetireStorage(3));
    assertEquals(
        "storage node 3 is to keep streams [1, 2], which have to move first", both.message());
    assertEquals(before, run.map());
    run.done(new MapCommand.ChangeReplicas(one.slot(), List.of(1, 2, 6), 1));
    assertTrue(refusalOf(new MapCommand.RetireStorage(3)).message().contains("streams [2]"));
    run.done(new MapCommand.ChangeReplicas(two.slot(), List.of(1, 2, 6), 1));
    run.done(new MapCommand.RetireStorage(3));
    run.done(new MapCommand.RetireStorage(3));
    assertEquals(NodeState.DEAD, run.map().nodes().get(3).state());
  }

  private Refused refusalOf(MapCommand command) {
    Refused refused = assertInstanceOf(Refused.class, run.apply(command));
    assertEquals(Refusal.NOT_YET, refused.why());
    return refused;
  }

  @Test
  void theFirstMemoryNodeIsHomeOfAllBuckets() {
    Registered memory = run.join(0, Role.MEMORY);
    assertEquals(BucketMap.BUCKETS, run.map().buckets().count(memory.node()));
    assertEquals(BucketState.SERVED, run.map().buckets().state(77));
  }

  @Test
  void memoryNodesShareTheBucketsAtOnceWhileNobodyHoldsAnything() {
    Registered one = run.join(0, Role.MEMORY);
    Registered two = run.join(0, Role.MEMORY);
    int[] before = run.map().buckets().homes();
    Registered three = run.join(0, Role.MEMORY);
    int[] after = run.map().buckets().homes();
    for (Registered node : List.of(one, two, three)) {
      int share = run.map().buckets().count(node.node());
      assertTrue(share == 1_365 || share == 1_366, node.node() + " has " + share);
    }
    for (int bucket = 0; bucket < BucketMap.BUCKETS; bucket++) {
      assertTrue(
          after[bucket] == before[bucket] || after[bucket] == three.node(),
          "bucket " + bucket + " goes to the new node or stays");
    }
    assertTrue(run.map().buckets().rebuilds().isEmpty());
  }

  @Test
  void bucketsStayWhileAComputeNodeMayHoldSomethingOfThem() {
    Registered compute = run.join(0, Role.COMPUTE);
    Registered one = run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    Registered two = run.join(0, Role.MEMORY);
    assertEquals(BucketMap.BUCKETS, run.map().buckets().count(one.node()));
    run.expire(compute.node());
    run.join(0, Role.MEMORY);
    assertEquals(0, run.map().buckets().count(two.node()), "what it has locked is not rolled back");
  }

  @Test
  void aBucketIsTakenOnlyAfterItsOldHomeHasGivenItUp() {
    run.join(0, Role.COMPUTE);
    Registered one = run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    Registered two = run.join(0, Role.MEMORY);
    run.done(new MapCommand.MoveBuckets(two.node(), BucketSet.of(5)));
    assertEquals(BucketState.MOVING, run.map().buckets().state(5));
    assertEquals(one.node(), run.map().buckets().home(5));
    run.refused(Refusal.INVALID, finish(two, 6));
    run.refused(Refusal.NOT_YET, finish(two, 5));
    run.refused(Refusal.INVALID, give(one, 6));
    run.done(give(one, 5));
    run.done(give(one, 5));
    assertEquals(two.node(), run.map().buckets().home(5));
    assertEquals(BucketState.MOVING, run.map().buckets().state(5), "nothing is learnt yet");
    run.done(finish(two, 5));
    run.done(finish(two, 5));
    assertEquals(BucketState.SERVED, run.map().buckets().state(5));
    run.done(new MapCommand.MoveBuckets(two.node(), BucketSet.of(6)));
    run.done(new MapCommand.CancelBucketMoves(BucketSet.of(6)));
    assertEquals(BucketState.SERVED, run.map().buckets().state(6));
    assertEquals(one.node(), run.map().buckets().home(6));
  }

  private MapCommand give(Registered node, int... buckets) {
    return new MapCommand.GiveBuckets(
        node.node(), node.epoch(), run.map().version(), BucketSet.of(buckets));
  }

  private MapCommand finish(Registered node, int... buckets) {
    return new MapCommand.FinishBucketMoves(
        node.node(), node.epoch(), run.map().version(), BucketSet.of(buckets));
  }

  private BucketSet skipped(Refusal why, MapCommand command) {
    AllBut some = assertInstanceOf(AllBut.class, run.apply(command), command::toString);
    assertEquals(why, some.why(), some::message);
    return some.skipped();
  }

  @Test
  void aBucketOfABatchThatIsOutOfDateIsSkippedAndTheOthersTakeTheStep() {
    run.join(0, Role.COMPUTE);
    Registered one = run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    Registered two = run.join(0, Role.MEMORY);
    Registered three = run.join(0, Role.MEMORY);
    run.done(new MapCommand.MoveBuckets(three.node(), BucketSet.of(7)));
    assertEquals(
        BucketSet.of(7),
        skipped(Refusal.NOT_YET, new MapCommand.MoveBuckets(two.node(), BucketSet.of(5, 6, 7))));
    assertEquals(BucketSet.of(8), skipped(Refusal.INVALID, give(one, 5, 8)));
    assertEquals(BucketSet.of(6), skipped(Refusal.NOT_YET, finish(two, 5, 6)));
    assertEquals(BucketState.SERVED, run.map().buckets().state(5));
    assertEquals(BucketState.MOVING, run.map().buckets().state(6));
    assertEquals(three.node(), run.map().buckets().moves().get(7).to());
    assertEquals(one.node(), run.map().buckets().home(8));
  }

  @Test
  void aBatchThatIsAppliedTwiceChangesNothingTheSecondTime() {
    run.join(0, Role.COMPUTE);
    Registered one = run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    Registered two = run.join(0, Role.MEMORY);
    for (MapCommand command :
        List.of(
            new MapCommand.MoveBuckets(two.node(), BucketSet.of(1, 2, 3)),
            new MapCommand.GiveBuckets(one.node(), one.epoch(), 1_000, BucketSet.of(1, 2)),
            new MapCommand.FinishBucketMoves(two.node(), two.epoch(), 1_000, BucketSet.of(1)),
            new MapCommand.CancelBucketMoves(BucketSet.of(3)))) {
      run.done(command);
      ClusterMap once = run.map();
      run.done(command);
      assertSame(once, run.map());
    }
  }

  /** The old home serves it again, and has to give it up again. */
  @Test
  void whatWasGivenUpForAnEarlierMoveDoesNotCountForALaterOne() {
    run.join(0, Role.COMPUTE);
    Registered one = run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    Registered two = run.join(0, Role.MEMORY);
    run.done(new MapCommand.MoveBuckets(two.node(), BucketSet.of(5)));
    MapCommand late = give(one, 5);
    run.done(new MapCommand.CancelBucketMoves(BucketSet.of(5)));
    run.refused(Refusal.INVALID, late);
    run.done(new MapCommand.MoveBuckets(two.node(), BucketSet.of(5)));
    run.refused(Refusal.NOT_YET, late);
    assertEquals(one.node(), run.map().buckets().home(5));
    run.done(give(one, 5));
    run.done(finish(two, 5));
  }

  private void carryOut(MapCommand.MoveBuckets move) {
    List<Integer> homes =
        move.buckets().stream().mapToObj(run.map().buckets()::home).distinct().toList();
    run.done(move);
    for (int from : homes) {
      run.apply(new MapCommand.GiveBuckets(from, epoch(from), run.map().version(), move.buckets()));
    }
    run.done(
        new MapCommand.FinishBucketMoves(
            move.to(), epoch(move.to()), run.map().version(), move.buckets()));
  }

  private int epoch(int node) {
    return run.map().nodes().get(node).epoch();
  }

  @Test
  void nothingMovesWhileSomebodyIsDeadOrComingOrSilent() {
    Registered compute = run.join(0, Role.COMPUTE);
    Registered second = run.join(0, Role.COMPUTE);
    run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    Registered two = run.join(0, Role.MEMORY);
    assertFalse(BucketPlanner.next(run.map()).isEmpty());
    run.done(new MapCommand.Suspect(two.node(), two.epoch(), 0));
    assertTrue(BucketPlanner.next(run.map()).isEmpty(), "one is silent");
    run.apply(
        new MapCommand.RenewLeases(List.of(new MapCommand.Renewal(two.node(), two.epoch(), 1))));
    assertFalse(BucketPlanner.next(run.map()).isEmpty());
    run.done(
        new MapCommand.Suspend(compute.node(), compute.epoch(), second.node(), second.epoch(), 0));
    assertTrue(BucketPlanner.next(run.map()).isEmpty(), "one is suspended");
    run.expire(second.node());
    assertTrue(BucketPlanner.next(run.map()).isEmpty(), "one is dead");
    assertFalse(BucketBalance.isBalanced(run.map()));
  }

  @Test
  void theLastMemoryNodeIsNotDrained() {
    run.join(0, Role.COMPUTE);
    Registered one = run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    run.refused(Refusal.INVALID, new MapCommand.Drain(one.node(), one.epoch()));
    Registered two = run.join(0, Role.MEMORY);
    run.done(new MapCommand.Drain(one.node(), one.epoch()));
    run.refused(Refusal.INVALID, new MapCommand.Drain(two.node(), two.epoch()));
  }

  @Test
  void aMemoryNodeIsPlannedItsShareOfBuckets() {
    run.join(0, Role.COMPUTE);
    run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    Registered two = run.join(0, Role.MEMORY);
    int moves = 0;
    List<MapCommand.MoveBuckets> next = BucketPlanner.next(run.map());
    while (!next.isEmpty()) {
      assertEquals(BucketPlanner.AT_A_TIME, size(next));
      next.forEach(this::carryOut);
      moves += size(next);
      next = BucketPlanner.next(run.map());
    }
    assertTrue(BucketBalance.isBalanced(run.map()));
    assertEquals(BucketMap.BUCKETS / 2, moves);
    assertEquals(BucketMap.BUCKETS / 2, run.map().buckets().count(two.node()));
  }

  private static int size(List<MapCommand.MoveBuckets> moves) {
    return moves.stream().mapToInt(move -> move.buckets().size()).sum();
  }

  @Test
  void moreBucketsMoveOnceHalfOfThoseUnderWayHaveEnded() {
    run.join(0, Role.COMPUTE);
    run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    run.join(0, Role.MEMORY);
    List<MapCommand.MoveBuckets> first = BucketPlanner.next(run.map());
    assertEquals(1, first.size());
    run.done(first.getFirst());
    assertTrue(BucketPlanner.next(run.map()).isEmpty());
    int half = BucketPlanner.AT_A_TIME / 2;
    int[] ended = first.getFirst().buckets().stream().limit(half).toArray();
    run.done(new MapCommand.CancelBucketMoves(BucketSet.of(Arrays.copyOf(ended, half - 1))));
    assertTrue(BucketPlanner.next(run.map()).isEmpty());
    run.done(new MapCommand.CancelBucketMoves(BucketSet.of(ended)));
    assertEquals(
        List.of(new MapCommand.MoveBuckets(first.getFirst().to(), BucketSet.of(ended))),
        BucketPlanner.next(run.map()));
  }

  @Test
  void aBatchIsSharedByTheNodesThatHaveTooFew() {
    run.join(0, Role.COMPUTE);
    run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    Registered two = run.join(0, Role.MEMORY);
    Registered three = run.join(0, Role.MEMORY);
    List<MapCommand.MoveBuckets> next = BucketPlanner.next(run.map());
    assertEquals(
        List.of(two.node(), three.node()), next.stream().map(MapCommand.MoveBuckets::to).toList());
    assertEquals(BucketPlanner.AT_A_TIME, size(next));
    assertEquals(next.getFirst().buckets().size(), next.getLast().buckets().size());
  }

  @Test
  void aDrainingMemoryNodeIsEmptied() {
    run.join(0, Role.COMPUTE);
    Registered one = run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    Registered two = run.join(0, Role.MEMORY);
    carryOut(new MapCommand.MoveBuckets(two.node(), BucketSet.of(9)));
    run.done(new MapCommand.Drain(two.node(), two.epoch()));
    assertEquals(
        List.of(new MapCommand.MoveBuckets(one.node(), BucketSet.of(9))),
        BucketPlanner.next(run.map()));
  }

  @Test
  void bucketsOfADeadMemoryNodeWaitForTheReportsOfAllLiveComputeNodes() {
    Registered compute = run.join(0, Role.COMPUTE);
    Registered second = run.join(0, Role.COMPUTE);
    Registered one = run.join(0, Role.MEMORY);
    Registered two = run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    run.expire(one.node());
    assertEquals(two.node(), run.map().buckets().home(5));
    assertEquals(BucketState.REBUILDING, run.map().buckets().state(5));
    long rebuild = run.map().buckets().rebuilds().firstKey();
    run.done(new MapCommand.AcknowledgeRebuild(compute.node(), compute.epoch(), rebuild));
    assertEquals(BucketState.REBUILDING, run.map().buckets().state(5));
    run.expire(second.node());
    assertEquals(BucketState.SERVED, run.map().buckets().state(5), "the dead report nothing");
  }

  @Test
  void bucketsWhoseNewHomeDiesAreRebuiltOnceMore() {
    run.join(0, Role.COMPUTE);
    Registered one = run.join(0, Role.MEMORY);
    Registered two = run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    run.expire(one.node());
    run.expire(two.node());
    assertEquals(BucketState.HOMELESS, run.map().buckets().state(5));
    assertTrue(run.map().buckets().rebuilds().isEmpty());
    run.join(0, Role.MEMORY);
    assertEquals(BucketState.REBUILDING, run.map().buckets().state(5));
    acknowledgeRebuilds();
    assertEquals(BucketState.SERVED, run.map().buckets().state(5));
  }

  @Test
  void aMoveWhoseGiverDiesBecomesARebuildAndOneWhoseTakerDiesIsOff() {
    run.join(0, Role.COMPUTE);
    Registered one = run.join(0, Role.MEMORY);
    Registered two = run.join(0, Role.MEMORY);
    Registered three = run.join(0, Role.MEMORY);
    acknowledgeRebuilds();
    run.done(new MapCommand.MoveBuckets(two.node(), BucketSet.of(1, 4)));
    run.done(new MapCommand.MoveBuckets(three.node(), BucketSet.of(2, 3)));
    run.done(give(one, 3, 4));
    run.expire(three.node());
    assertEquals(BucketState.SERVED, run.map().buckets().state(2));
    assertEquals(one.node(), run.map().buckets().home(2));
    assertEquals(BucketState.REBUILDING, run.map().buckets().state(3), "it was given up");
    run.expire(one.node());
    assertEquals(two.node(), run.map().buckets().home(1));
    assertEquals(BucketState.REBUILDING, run.map().buckets().state(1));
    assertEquals(two.node(), run.map().buckets().home(4));
    assertEquals(BucketState.MOVING, run.map().buckets().state(4), "two has it and learns");
    run.done(finish(two, 4));
  }

  private void acknowledgeRebuilds() {
    for (long rebuild : List.copyOf(run.map().buckets().rebuilds().keySet())) {
      for (var node : run.map().live(Role.COMPUTE)) {
        run.done(new MapCommand.AcknowledgeRebuild(node.id(), node.epoch(), rebuild));
      }
    }
  }
}
