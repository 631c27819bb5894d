package io.gauss.storage.map;

import io.gauss.common.runtime.Environment;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.command.MapCommand;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Which slices are to move next, and where. A node takes part in one move at a time, as the one
 * that takes slices in or the one that they leave. For one plan.
 */
final class SliceMoves {
  /** Slices that move together at most: each move is two versions of the map, for any number. */
  static final int AT_A_TIME = Environment.size(128, 8);

  /** What moves together weighs this at most, unless it is one slice. */
  static final long MOST_WEIGHT = 1L << 30;

  /** Shares that differ by less than this part of the mean are left as they are. */
  static final double TOLERANCE = 0.05;

  private record Pair(int from, int to) {}

  /** The slices of one move. */
  private static final class Batch {
    final BitSet slices = new BitSet();
    long weight;
  }

  private final ClusterMap map;
  private final SliceShares shares;
  private final Set<Integer> lost;
  private final int wanted;
  private final long mean;

  /** By node that takes part in a move, that move; null for one that is under way. */
  private final Map<Integer, Pair> taken = new HashMap<>();

  private final Map<Pair, Batch> batches =
      new TreeMap<>(Comparator.comparing(Pair::to).thenComparing(Pair::from));
  private final BitSet planned = new BitSet();

  SliceMoves(ClusterMap map, SliceShares shares, Set<Integer> lost) {
    this.map = map;
    this.shares = shares;
    this.lost = lost;
    this.wanted = map.settings().get(ClusterSetting.SLICE_REPLICAS);
    this.mean = shares.mean();
    map.slices()
        .moving()
        .forEach(
            number -> {
              Slice slice = map.slices().slice(number);
              taken.put(slice.to(), null);
              taken.put(slice.from(), null);
            });
    taken.remove(0);
  }

  List<MapCommand> commands() {
    replace();
    leave();
    spread();
    even();
    List<MapCommand> commands = new ArrayList<>();
    batches.forEach(
        (pair, batch) ->
            commands.add(
                new MapCommand.MoveSlices(pair.from(), pair.to(), BucketSet.of(batch.slices))));
    return commands;
  }

  private Slice slice(int number) {
    return map.slices().slice(number);
  }

  /** The slices that may move, and have this many replicas, of which one at least can give them. */
  private IntStream still(int replicas) {
    return IntStream.range(0, SliceMap.SLICES)
        .filter(n -> !planned.get(n) && !slice(n).isMoving())
        .filter(n -> slice(n).replicaCount() == replicas)
        .filter(n -> lost.isEmpty() || !lost.containsAll(slice(n).replicas()));
  }

  /** Whether the slice may join a move between these two that is being planned, or begin it. */
  private boolean fits(int number, Pair pair) {
    Batch batch = batches.get(pair);
    if (batch == null) {
      return !taken.containsKey(pair.from()) && !taken.containsKey(pair.to());
    }
    return batch.slices.cardinality() < AT_A_TIME
        && batch.weight + shares.weight(number) <= MOST_WEIGHT;
  }

  private void plan(int number, Pair pair) {
    Batch batch = batches.computeIfAbsent(pair, p -> new Batch());
    batch.slices.set(number);
    batch.weight += shares.weight(number);
    planned.set(number);
    taken.put(pair.to(), pair);
    if (pair.from() != 0) {
      taken.put(pair.from(), pair);
    }
    shares.moved(number, pair.from(), pair.to());
  }

  /** Slices that lack replicas, those with the fewest first. */
  private void replace() {
    for (int copies = 1; copies < wanted; copies++) {
      boolean urgent = copies == 1;
      still(copies).forEach(number -> move(number, 0, urgent));
    }
  }

  /** Slices of nodes that leave. */
  private void leave() {
    still(wanted)
        .forEach(
            number ->
                slice(number).replicas().stream()
                    .filter(this::leaves)
                    .findFirst()
                    .ifPresent(from -> move(number, from, false)));
  }

  private boolean leaves(int node) {
    return map.node(node).filter(entry -> entry.state() == NodeState.DRAINING).isPresent();
  }

  /**
   * Moves the slice to where it is in most zones, then where the least is. It waits for a node that
   * has less than its share, rather than go to one that has more and would have to give it away.
   *
   * @param urgent whether another node will do while the best one is taken
   * @return whether it can move now
   */
  private boolean move(int number, int from, boolean urgent) {
    Slice slice = slice(number);
    List<Integer> replicas = slice.replicas();
    List<MapNode> possible =
        shares.open().stream().filter(node -> !slice.names(node.id())).toList();
    int most =
        possible.stream().mapToInt(n -> shares.zones(replicas, from, n.id())).max().orElse(0);
    List<MapNode> best =
        possible.stream().filter(n -> shares.zones(replicas, from, n.id()) == most).toList();
    boolean isRoom = best.stream().anyMatch(node -> shares.load(node.id()) < mean);
    Optional<MapNode> to =
        (urgent ? possible : best)
            .stream()
                .filter(node -> urgent || !isRoom || shares.load(node.id()) < mean)
                .filter(node -> fits(number, new Pair(from, node.id())))
                .min(
                    Comparator.comparing((MapNode n) -> -shares.zones(replicas, from, n.id()))
                        .thenComparing(n -> shares.load(n.id()))
                        .thenComparing(MapNode::id));
    to.ifPresent(node -> plan(number, new Pair(from, node.id())));
    return to.isPresent();
  }

  /** Slices that could be in more zones. */
  private void spread() {
    long all = shares.open().stream().map(MapNode::zone).distinct().count();
    if (all < 2) {
      return;
    }
    still(wanted)
        .forEach(
            number -> {
              List<Integer> replicas = slice(number).replicas();
              int zones = shares.zones(replicas, 0, 0);
              if (zones < Math.min(wanted, all)) {
                // The fullest one, if what it is to go to is not taken by what leaves another.
                List<Integer> fullest =
                    replicas.stream()
                        .filter(from -> shares.zones(replicas, from, 0) == zones)
                        .sorted(Comparator.comparing((Integer from) -> -shares.load(from)))
                        .toList();
                for (int from : fullest) {
                  if (move(number, from, false)) {
                    break;
                  }
                }
              }
            });
  }

  /**
   * From the fullest nodes to the emptiest ones, pair by pair: only from nodes above the mean to
   * nodes below it, so that what a new node gets makes nobody else move.
   */
  private void even() {
    long enough = (long) (mean * TOLERANCE);
    List<Pair> pairs = new ArrayList<>();
    for (MapNode from : shares.open()) {
      for (MapNode to : shares.open()) {
        boolean crosses = shares.load(from.id()) > mean && shares.load(to.id()) < mean;
        if (crosses && gap(from.id(), to.id()) > enough) {
          pairs.add(new Pair(from.id(), to.id()));
        }
      }
    }
    pairs.sort(
        Comparator.comparing((Pair pair) -> -gap(pair.from(), pair.to()))
            .thenComparing(Pair::from)
            .thenComparing(Pair::to));
    for (Pair pair : pairs) {
      if (!taken.containsKey(pair.from()) && !taken.containsKey(pair.to())) {
        still(wanted).forEach(number -> even(number, pair));
      }
    }
  }

  private long gap(int from, int to) {
    return shares.load(from) - shares.load(to);
  }

  /** The slice moves if both are nearer to the mean then, and it is not in fewer zones. */
  private void even(int number, Pair pair) {
    Slice slice = slice(number);
    if (slice.isReplica(pair.from())
        && !slice.names(pair.to())
        && evens(shares.weight(number), pair)
        && fits(number, pair)
        && keepsZones(slice.replicas(), pair)) {
      plan(number, pair);
    }
  }

  /** One that is too heavy for that may still make the two differ by less. */
  private boolean evens(long weight, Pair pair) {
    boolean toTheMean =
        weight <= 2 * (shares.load(pair.from()) - mean)
            && weight <= 2 * (mean - shares.load(pair.to()));
    return 2 * weight <= gap(pair.from(), pair.to()) && (toTheMean || !batches.containsKey(pair));
  }

  private boolean keepsZones(List<Integer> replicas, Pair pair) {
    return shares.zones(replicas, pair.from(), pair.to()) >= shares.zones(replicas, 0, 0);
  }
}
