package io.gauss.storage.map.service;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.command.MapCommand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Leases on the leader's side: when each has certainly ended.
 *
 * <p>It counts from when this leader saw a renewal applied, which is after the holder sent it. It
 * waits for the lease's duration and a margin, for clocks that run at different rates. A new leader
 * counts from when it began to lead, regardless of earlier renewals. Time is passed as an argument;
 * all times are readings of one monotonic clock. Not thread-safe.
 */
final class LeaseGranter {
  /** A lease of which two thirds have passed without renewal makes a node a suspect. */
  private static final double SUSPECT_AFTER = 2.0 / 3;

  /** A proposal without effect is repeated after this time. */
  private static final long AGAIN_NANOS = 1_000_000_000L;

  private final Map<Integer, Watch> watches = new HashMap<>();
  private long lastLook;

  /** The leader's knowledge of one lease. */
  private static final class Watch {
    final int epoch;
    final long renewal;
    long suspect;
    long deadline;
    long quietUntil;

    Watch(MapNode node, long now, long marginNanos) {
      epoch = node.epoch();
      renewal = node.lease().renewals();
      long duration = node.lease().durationMillis() * 1_000_000L;
      suspect = now + (long) (duration * SUSPECT_AFTER);
      deadline = now + duration + marginNanos;
      quietUntil = now;
    }

    void postpone(long nanos) {
      suspect += nanos;
      deadline += nanos;
      quietUntil += nanos;
    }
  }

  /** Begins to lead: every lease may have been renewed just now. */
  void lead(ClusterMap map, long now) {
    watches.clear();
    lastLook = now;
    observe(map, now);
  }

  /** Notes renewals that were applied. */
  void observe(ClusterMap map, long now) {
    long margin = map.settings().get(ClusterSetting.LEASE_MARGIN) * 1_000_000L;
    for (MapNode node : map.nodes().values()) {
      Watch watch = watches.get(node.id());
      if (!node.isLive() || !node.holdsLease()) {
        watches.remove(node.id());
      } else if (watch == null
          || watch.epoch != node.epoch()
          || watch.renewal != node.lease().renewals()) {
        watches.put(node.id(), new Watch(node, now, margin));
      }
    }
  }

  /**
   * Commands that are due. After a pause of this process (or of its machine) no node is blamed for
   * messages that could not arrive: all leases are extended by the length of the pause.
   *
   * @param usualNanos longest normal time between two calls
   */
  List<MapCommand> due(ClusterMap map, long now, long usualNanos) {
    long gap = now - lastLook;
    lastLook = now;
    if (gap > usualNanos) {
      watches.values().forEach(w -> w.postpone(gap));
    }
    observe(map, now);
    List<MapCommand> due = new ArrayList<>();
    watches.forEach(
        (id, watch) -> {
          if (now - watch.quietUntil < 0) {
            return;
          }
          MapNode node = map.nodes().get(id);
          if (now - watch.deadline >= 0) {
            due.add(new MapCommand.ExpireLease(id, watch.epoch, watch.renewal));
            watch.quietUntil = now + AGAIN_NANOS;
          } else if (now - watch.suspect >= 0 && node.state() == NodeState.UP) {
            due.add(new MapCommand.Suspect(id, watch.epoch, watch.renewal));
            watch.quietUntil = Math.min(now + AGAIN_NANOS, watch.deadline);
          }
        });
    return due;
  }

  /** Milliseconds until the lease has ended at the latest; 0 when it has, or there is none. */
  int remainingMillis(int node, long now) {
    Watch watch = watches.get(node);
    return watch == null ? 0 : (int) Math.max(0, (watch.deadline - now) / 1_000_000);
  }
}
