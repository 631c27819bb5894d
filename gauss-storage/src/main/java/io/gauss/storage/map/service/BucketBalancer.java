package io.gauss.storage.map.service;

import io.gauss.storage.map.BucketPlanner;
import io.gauss.storage.map.api.BucketBalance;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has buckets moved to memory nodes that have fewer, and away from those that leave, one batch
 * after another; logs the progress from time to time. Not thread-safe.
 */
final class BucketBalancer {
  private static final Logger LOG = LoggerFactory.getLogger(BucketBalancer.class);

  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A proposal without effect is repeated after this time. */
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private boolean moving;
  private int moved;
  private long sinceNanos;
  private long toldNanos;

  /** The last proposals, which may be under way. */
  private List<MapCommand.MoveBuckets> asked = List.of();

  private long askedNanos;

  /** The moves to propose now. */
  List<MapCommand.MoveBuckets> due(ClusterMap map, long now) {
    tell(map, now);
    if (now - askedNanos > AGAIN_NANOS || asked.stream().allMatch(move -> isIn(map, move))) {
      asked = List.of();
    }
    if (!asked.isEmpty()) {
      return List.of(); // a plan without them would have most of them again
    }
    asked = BucketPlanner.next(map);
    askedNanos = now;
    moved += asked.stream().mapToInt(move -> move.buckets().size()).sum();
    return asked;
  }

  /** Whether the map contains this proposal, or a later state. */
  private static boolean isIn(ClusterMap map, MapCommand.MoveBuckets move) {
    return move.buckets().stream()
        .allMatch(
            bucket ->
                map.buckets().home(bucket) == move.to()
                    || map.buckets().moves().containsKey(bucket));
  }

  private void tell(ClusterMap map, long now) {
    boolean toDo = !BucketBalance.isBalanced(map);
    if (toDo && !moving) {
      LOG.info("{} buckets are to move: {}", BucketBalance.left(map), shares(map));
      moved = 0;
      sinceNanos = now;
      toldNanos = now;
    } else if (!toDo && moving) {
      long millis = TimeUnit.NANOSECONDS.toMillis(now - sinceNanos);
      LOG.info("{} buckets have moved in {} ms: {}", moved, millis, shares(map));
    } else if (toDo && now - toldNanos > TELL_NANOS) {
      LOG.info("buckets move, {} so far: {}", moved, shares(map));
      toldNanos = now;
    }
    moving = toDo;
  }

  private static String shares(ClusterMap map) {
    return map.live(Role.MEMORY).stream().map(n -> share(map, n)).collect(Collectors.joining(", "));
  }

  private static String share(ClusterMap map, MapNode node) {
    String leaves = node.state() == NodeState.DRAINING ? " (leaves)" : "";
    return "node " + node.id() + leaves + " has " + map.buckets().count(node.id());
  }
}
