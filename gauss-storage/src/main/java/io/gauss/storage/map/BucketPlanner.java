package io.gauss.storage.map;

import io.gauss.common.runtime.Environment;
import io.gauss.storage.map.api.BucketBalance;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketMap.BucketState;
import io.gauss.storage.map.api.BucketSet;
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
import java.util.TreeMap;

/** Chooses the next buckets to move, so that memory nodes carry equal shares. A pure function. */
public final class BucketPlanner {
  /**
   * Buckets that move at the same time. What takes time is to have entries of the map replicated
   * and to ask each compute node, once for all buckets that begin together. The bound keeps the
   * reports of one round, and so the pause of its buckets, to a thirty-second of those after the
   * loss of a home.
   */
  static final int AT_A_TIME = Environment.size(128, 8);

  private BucketPlanner() {}

  /**
   * The next moves, by target; empty when enough are under way, nothing would be gained, or the
   * cluster has other problems. Leaving nodes are emptied first; then buckets go from the fullest
   * to the emptiest node until they differ by one at most. More begin only when half of those under
   * way have ended, so that entries of the map do not carry single buckets.
   */
  public static List<MapCommand.MoveBuckets> next(ClusterMap map) {
    int room = AT_A_TIME - map.buckets().moves().size();
    if (room < AT_A_TIME / 2 || BucketBalance.left(map) == 0 || !BucketBalance.isQuiet(map)) {
      return List.of();
    }
    Shares shares = new Shares(map);
    TreeMap<Integer, BitSet> chosen = new TreeMap<>();
    boolean isMore = true;
    for (int i = 0; i < room && isMore; i++) {
      isMore = shares.move(chosen);
    }
    List<MapCommand.MoveBuckets> next = new ArrayList<>();
    chosen.forEach(
        (to, buckets) -> next.add(new MapCommand.MoveBuckets(to, BucketSet.of(buckets))));
    return next;
  }

  /** The number of buckets of each node after the moves under way and the chosen ones. */
  private static final class Shares {
    private final BucketMap buckets;
    private final List<MapNode> up;
    private final List<MapNode> leaving;
    private final Map<Integer, Integer> counts = new HashMap<>();

    /** By node: its buckets below were considered. */
    private final Map<Integer, Integer> considered = new HashMap<>();

    Shares(ClusterMap map) {
      buckets = map.buckets();
      List<MapNode> memory = map.live(Role.MEMORY);
      up = memory.stream().filter(n -> n.state() == NodeState.UP && !n.evicted()).toList();
      leaving = memory.stream().filter(n -> n.state() == NodeState.DRAINING).toList();
      memory.forEach(node -> counts.put(node.id(), buckets.count(node.id())));
      buckets
          .moves()
          .forEach(
              (bucket, move) -> {
                counts.merge(buckets.home(bucket), -1, Integer::sum);
                counts.merge(move.to(), 1, Integer::sum);
              });
    }

    private int count(MapNode node) {
      return counts.getOrDefault(node.id(), 0);
    }

    /** Chooses one more move, if one is needed. */
    boolean move(Map<Integer, BitSet> chosen) {
      MapNode least = up.stream().min(Comparator.comparing(this::count)).orElse(null);
      MapNode from = least == null ? null : from(least);
      int bucket = from == null ? -1 : next(from.id());
      if (bucket < 0) {
        return false;
      }
      counts.merge(from.id(), -1, Integer::sum);
      counts.merge(least.id(), 1, Integer::sum);
      chosen.computeIfAbsent(least.id(), to -> new BitSet()).set(bucket);
      return true;
    }

    private MapNode from(MapNode least) {
      return leaving.stream()
          .filter(node -> count(node) > 0)
          .findFirst()
          .or(
              () ->
                  up.stream()
                      .max(Comparator.comparing(this::count))
                      .filter(most -> count(most) > count(least) + 1))
          .orElse(null);
    }

    /** The node's next bucket that may move; -1 = there is none. */
    private int next(int from) {
      for (int b = considered.getOrDefault(from, 0); b < BucketMap.BUCKETS; b++) {
        if (buckets.home(b) == from && buckets.state(b) == BucketState.SERVED) {
          considered.put(from, b + 1);
          return b;
        }
      }
      considered.put(from, BucketMap.BUCKETS);
      return -1;
    }
  }
}
