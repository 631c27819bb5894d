package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.ClusterMapTransitions.Applied;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterMapChecker;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * A cluster map with storage nodes that do what {@link SlicePlanner} says. What a plan may not do
 * is checked at every step.
 */
final class SliceCluster {
  /** More steps than any of the tests needs: a plan that needs them does not end. */
  private static final int MANY = 3_000;

  private final Random random;
  private final Set<Integer> lost = new TreeSet<>();
  private final Set<Integer> targets = new TreeSet<>();
  private SliceWeights weights;
  private ClusterMap map;
  private long incarnations = 1_000_000;

  SliceCluster(Random random, SliceWeights weights) {
    this.random = random;
    this.weights = weights;
  }

  ClusterMap map() {
    return map;
  }

  /** The nodes to which slices were moved. */
  Set<Integer> targets() {
    return targets;
  }

  void weigh(SliceWeights now) {
    weights = now;
  }

  /** These nodes, in this many zones, have everything when the list is made. */
  void listed(int nodes, int zones) {
    map = MapRun.withStorage(1).map();
    List<Integer> all = new ArrayList<>(map.nodes().keySet());
    for (int i = 1; i < nodes; i++) {
      all.add(join(zone(i % zones)));
    }
    done(new MapCommand.ListSlices(all));
  }

  private static String zone(int number) {
    return number == 0 ? "" : "zone " + number;
  }

  int join(String zone) {
    MapCommand.Register register =
        new MapCommand.Register(
            MapRun.CLUSTER,
            0,
            0,
            Set.of(Role.STORAGE),
            zone,
            List.of(new Endpoint(Endpoint.Purpose.PEER, "127.0.0.1", 7000)),
            ++incarnations,
            1,
            ClusterMap.FORMAT_WITH_SLICES);
    MapResult.Registered registered =
        assertInstanceOf(MapResult.Registered.class, apply(register), register::toString);
    done(new MapCommand.FinishJoin(registered.node(), registered.epoch(), 0));
    return registered.node();
  }

  void drain(int node) {
    done(new MapCommand.Drain(node, map.nodes().get(node).epoch()));
  }

  void lose(int node) {
    lost.add(node);
  }

  void done(MapCommand command) {
    assertEquals(MapResult.done(), apply(command), command::toString);
  }

  private MapResult apply(MapCommand command) {
    Applied applied = ClusterMapTransitions.apply(map, command);
    assertEquals(List.of(), ClusterMapChecker.check(applied.map()), command::toString);
    assertEquals(List.of(), ClusterMapChecker.checkChange(map, applied.map()), command::toString);
    map = applied.map();
    return applied.result();
  }

  /** Something that happens to the nodes. */
  void chance(int zones) {
    List<Integer> well = new ArrayList<>();
    for (MapNode node : map.live(Role.STORAGE)) {
      if (node.state() == NodeState.UP && !lost.contains(node.id())) {
        well.add(node.id());
      }
    }
    int one = well.get(random.nextInt(well.size()));
    switch (random.nextInt(4)) {
      case 0 -> lost.clear(); // they come back
      case 1 -> {
        if (well.size() > 4 && lost.isEmpty() && mayLose(one)) {
          lose(one);
        }
      }
      case 2 -> {
        if (well.size() > 4) {
          drain(one);
        }
      }
      default -> join(zone(random.nextInt(zones)));
    }
  }

  /** Whether every slice has another replica. */
  private boolean mayLose(int node) {
    return map.slices().slices().stream()
        .allMatch(slice -> slice.replicaCount() > (slice.isReplica(node) ? 1 : 0));
  }

  /** Proposes what is planned, which has to be done. */
  boolean proposeNext() {
    List<MapCommand> next = SlicePlanner.next(map, weights, lost);
    assertEquals(next, SlicePlanner.next(map, weights, lost));
    for (MapCommand command : next) {
      if (command instanceof MapCommand.MoveSlices move) {
        targets.add(move.to());
        assertTrue(move.slices().size() <= SliceMoves.AT_A_TIME, command::toString);
        assertTrue(!lost.contains(move.to()), command::toString);
      }
      done(command);
    }
    assertOneMoveAtATime();
    return !next.isEmpty();
  }

  private record Move(int from, int to, long since) {}

  private Map<Move, BitSet> moves() {
    Map<Move, BitSet> moves = new HashMap<>();
    map.slices()
        .moving()
        .forEach(
            number -> {
              Slice slice = map.slices().slice(number);
              Move move = new Move(slice.from(), slice.to(), slice.since(slice.to()));
              moves.computeIfAbsent(move, m -> new BitSet()).set(number);
            });
    return moves;
  }

  private void assertOneMoveAtATime() {
    Map<Integer, Move> taken = new HashMap<>();
    for (Move move : moves().keySet()) {
      Move other = taken.put(move.to(), move);
      assertTrue(other == null, () -> "node " + move.to() + ": " + move + " and " + other);
      Move leaving = move.from() == 0 ? null : taken.put(move.from(), move);
      assertTrue(leaving == null, () -> "node " + move.from() + ": " + move + " and " + leaving);
    }
  }

  /** Plans, and ends of moves, in any order. */
  void someSteps(int steps) {
    for (int i = 0; i < steps; i++) {
      if (random.nextBoolean()) {
        proposeNext();
      } else {
        endSomeMove();
      }
    }
  }

  /** The number of slices that have come to another node. */
  private int endSomeMove() {
    Map<Move, BitSet> moves = moves();
    List<Move> possible =
        moves.keySet().stream()
            .filter(move -> !lost.contains(move.to()))
            .sorted(Comparator.comparing(Move::to))
            .toList();
    if (possible.isEmpty()) {
      return 0;
    }
    Move move = possible.get(random.nextInt(possible.size()));
    BucketSet slices = BucketSet.of(moves.get(move));
    int epoch = map.nodes().get(move.to()).epoch();
    done(new MapCommand.FinishSliceMoves(move.to(), epoch, move.since(), slices));
    return slices.size();
  }

  /** Until nothing is planned and nothing moves: how many slices have moved. */
  int settle() {
    int moved = 0;
    for (int i = 0; i < MANY; i++) {
      boolean planned = proposeNext();
      int ended = endSomeMove();
      moved += ended;
      if (!planned && ended == 0) {
        assertEquals(BucketSet.NONE, map.slices().moving());
        return moved;
      }
    }
    throw new AssertionError("slices still move: " + loads());
  }

  /**
   * Every slice is at as many nodes, in as many zones, as it can be, and the nodes' shares even.
   */
  void assertSettled() {
    List<MapNode> open =
        map.live(Role.STORAGE).stream()
            .filter(node -> node.state() == NodeState.UP && !lost.contains(node.id()))
            .toList();
    Set<Integer> ids = new TreeSet<>(open.stream().map(MapNode::id).toList());
    long zones = open.stream().map(MapNode::zone).distinct().count();
    int wanted = Math.min(3, open.size());
    for (int number = 0; number < SliceMap.SLICES; number++) {
      Slice slice = map.slices().slice(number);
      String name = "slice " + number + ": " + slice;
      assertEquals(wanted, slice.replicaCount(), name);
      assertTrue(ids.containsAll(slice.replicas()), name);
      assertEquals(Math.min(zones, wanted), zonesOf(slice), name);
    }
    if (zones == 1) {
      assertEven(open);
    }
  }

  private long zonesOf(Slice slice) {
    return slice.replicas().stream().map(node -> map.nodes().get(node).zone()).distinct().count();
  }

  private Map<Integer, Long> loads() {
    SliceShares shares = new SliceShares(map, weights, lost);
    Map<Integer, Long> loads = new HashMap<>();
    shares.open().forEach(node -> loads.put(node.id(), shares.load(node.id())));
    return loads;
  }

  private void assertEven(List<MapNode> open) {
    long least = loads().values().stream().mapToLong(load -> load).min().orElseThrow();
    long most = loads().values().stream().mapToLong(load -> load).max().orElseThrow();
    long mean = loads().values().stream().mapToLong(load -> load).sum() / open.size();
    long heaviest = 0;
    for (int number = 0; number < SliceMap.SLICES; number++) {
      heaviest = Math.max(heaviest, weights.of(number));
    }
    assertTrue(
        most - least <= Math.max(2 * heaviest, (long) (mean * SliceMoves.TOLERANCE)),
        () -> "shares " + loads());
  }
}
