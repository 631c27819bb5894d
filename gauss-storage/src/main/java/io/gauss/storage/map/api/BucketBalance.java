package io.gauss.storage.map.api;

import java.util.Arrays;
import java.util.List;

/** How evenly memory nodes share the buckets, and whether moves may begin. Pure functions. */
public final class BucketBalance {
  private BucketBalance() {}

  /**
   * Whether all nodes that must report to a bucket's new home answer, and no node is joining or
   * dead. A move then takes milliseconds, and needs no assumptions about locks of dead nodes.
   */
  public static boolean isQuiet(ClusterMap map) {
    return map.joins().isEmpty()
        && map.deaths().isEmpty()
        && map.suspensions().isEmpty()
        && map.buckets().rebuilds().isEmpty()
        && map.nodes().values().stream()
            .filter(n -> n.isLive() && n.holdsLease())
            .noneMatch(n -> n.state() == NodeState.SUSPECT || n.evicted());
  }

  /** False while buckets move or still have to move, even if none may move at this moment. */
  public static boolean isBalanced(ClusterMap map) {
    return map.buckets().moves().isEmpty() && left(map) == 0;
  }

  /**
   * How many moves have yet to begin until the shares are even and leaving nodes have no buckets.
   */
  public static int left(ClusterMap map) {
    List<MapNode> memory = map.live(Role.MEMORY);
    int[] staying =
        memory.stream()
            .filter(n -> n.state() != NodeState.DRAINING)
            .mapToInt(n -> map.buckets().count(n.id()))
            .sorted()
            .toArray();
    if (staying.length == 0) {
      return 0;
    }
    int all = memory.stream().mapToInt(n -> map.buckets().count(n.id())).sum();
    int left = all - Arrays.stream(staying).sum();
    for (int i = 0; i < staying.length; i++) {
      boolean isLarger = i >= staying.length - all % staying.length; // the fullest keep one more
      left += Math.max(0, staying[i] - all / staying.length - (isLarger ? 1 : 0));
    }
    return left;
  }
}
