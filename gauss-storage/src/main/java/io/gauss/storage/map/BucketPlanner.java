package io.gauss.storage.map;

import io.gauss.storage.map.api.BucketBalance;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketMap.BucketState;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Chooses the next buckets to move, so that memory nodes carry equal shares. A pure function. */
public final class BucketPlanner {
  /**
   * Buckets that move at the same time. Moves mostly wait for answers of other nodes, so a few
   * together take as long as one.
   */
  static final int AT_A_TIME = 8;

  private BucketPlanner() {}

  /**
   * The next moves, empty when enough are under way, nothing would be gained, or the cluster has
   * other problems. Leaving nodes are emptied first; then buckets go from the fullest to the
   * emptiest node until they differ by one at most.
   */
  public static List<MapCommand.MoveBucket> next(ClusterMap map) {
    List<MapCommand.MoveBucket> next = new ArrayList<>();
    int room = AT_A_TIME - map.buckets().moves().size();
    if (room > 0 && BucketBalance.isQuiet(map)) {
      Shares shares = new Shares(map);
      Optional<MapCommand.MoveBucket> move = shares.move();
      while (move.isPresent() && next.size() < room) {
        next.add(move.get());
        move = shares.move();
      }
    }
    return next;
  }

  /** The number of buckets of each node after the chosen moves. */
  private static final class Shares {
    private final BucketMap buckets;
    private final List<MapNode> up;
    private final List<MapNode> leaving;
    private final Map<Integer, Integer> counts = new HashMap<>();
    private final BitSet moving = new BitSet(BucketMap.BUCKETS);

    Shares(ClusterMap map) {
      buckets = map.buckets();
      List<MapNode> memory = map.live(Role.MEMORY);
      up = memory.stream().filter(n -> n.state() == NodeState.UP && !n.evicted()).toList();
      leaving = memory.stream().filter(n -> n.state() == NodeState.DRAINING).toList();
      for (int bucket = 0; bucket < BucketMap.BUCKETS; bucket++) {
        counts.merge(homeToBe(bucket), 1, Integer::sum);
      }
      map.buckets().moves().keySet().forEach(moving::set);
    }

    private int homeToBe(int bucket) {
      return buckets.moves().getOrDefault(bucket, buckets.home(bucket));
    }

    private int count(MapNode node) {
      return counts.getOrDefault(node.id(), 0);
    }

    Optional<MapCommand.MoveBucket> move() {
      Optional<MapNode> least = up.stream().min(Comparator.comparing(this::count));
      if (least.isEmpty()) {
        return Optional.empty();
      }
      Optional<MapNode> from = leaving.stream().filter(n -> count(n) > 0).findFirst();
      if (from.isEmpty()) {
        from =
            up.stream()
                .max(Comparator.comparing(this::count))
                .filter(most -> count(most) > count(least.get()) + 1);
      }
      return from.flatMap(node -> move(node.id(), least.get().id()));
    }

    private Optional<MapCommand.MoveBucket> move(int from, int to) {
      for (int bucket = 0; bucket < BucketMap.BUCKETS; bucket++) {
        boolean isFree = !moving.get(bucket) && buckets.home(bucket) == from;
        if (isFree && buckets.state(bucket) == BucketState.SERVED) {
          moving.set(bucket);
          counts.merge(from, -1, Integer::sum);
          counts.merge(to, 1, Integer::sum);
          return Optional.of(new MapCommand.MoveBucket(bucket, to));
        }
      }
      return Optional.empty();
    }
  }
}
