package io.gauss.storage.map;

import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketMap.BucketState;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Chooses the next bucket to move, so that memory nodes carry equal shares. A pure function. */
public final class BucketPlanner {
  private BucketPlanner() {}

  /**
   * The next move, empty when one is under way or nothing would be gained. Leaving nodes are
   * emptied first; then buckets go from the fullest to the emptiest node until they differ by one
   * at most.
   */
  public static Optional<MapCommand.MoveBucket> next(ClusterMap map) {
    BucketMap buckets = map.buckets();
    List<MapNode> memory = map.live(Role.MEMORY);
    Optional<MapNode> least =
        memory.stream()
            .filter(n -> n.state() == NodeState.UP && !n.evicted())
            .min(Comparator.comparing(n -> buckets.count(n.id())));
    if (!buckets.moves().isEmpty() || least.isEmpty()) {
      return Optional.empty();
    }
    int to = least.get().id();
    Optional<MapNode> leaving =
        memory.stream()
            .filter(n -> n.state() == NodeState.DRAINING && buckets.count(n.id()) > 0)
            .findFirst();
    if (leaving.isPresent()) {
      return move(buckets, leaving.get().id(), to);
    }
    return memory.stream()
        .filter(n -> n.state() == NodeState.UP)
        .max(Comparator.comparing(n -> buckets.count(n.id())))
        .filter(most -> buckets.count(most.id()) > buckets.count(to) + 1)
        .flatMap(most -> move(buckets, most.id(), to));
  }

  private static Optional<MapCommand.MoveBucket> move(BucketMap buckets, int from, int to) {
    for (int bucket = 0; bucket < BucketMap.BUCKETS; bucket++) {
      if (buckets.home(bucket) == from && buckets.state(bucket) == BucketState.SERVED) {
        return Optional.of(new MapCommand.MoveBucket(bucket, to));
      }
    }
    return Optional.empty();
  }
}
