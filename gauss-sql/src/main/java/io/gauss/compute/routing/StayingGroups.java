package io.gauss.compute.routing;

import io.gauss.compute.routing.data.GroupOwners;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Page groups that transactions use on this node whose clients do not choose nodes by what is
 * published: wherever such a group is to be, they will use it here, so its pages stay until another
 * node wants them. Known from samples. One use is remembered for a minute, several for up to five:
 * as long as a group is worth more than a few transfers, it is sampled again within that time, and
 * what was only loaded here is soon free to go. Thread-safe.
 */
final class StayingGroups {
  /** By each use. */
  static final long REMEMBERED_NANOS = 60_000_000_000L;

  static final long LONGEST_NANOS = 5 * REMEMBERED_NANOS;

  private final int most;
  private final Map<Long, Long> until = new ConcurrentHashMap<>(); // by group

  StayingGroups() {
    this(GroupOwners.MOST);
  }

  /**
   * @param most groups that are remembered, as many as can have an owner; more are not
   */
  StayingGroups(int most) {
    this.most = most;
  }

  /** Such a transaction has used these groups. */
  synchronized void use(long[] groups, long nowNanos) {
    if (until.size() + groups.length > most) {
      until.values().removeIf(end -> nowNanos - end >= 0);
    }
    for (long group : groups) {
      Long before = until.get(group);
      if (before != null || until.size() < most) {
        long left = before == null ? 0 : Math.max(0, before - nowNanos);
        until.put(group, nowNanos + Math.min(LONGEST_NANOS, left + REMEMBERED_NANOS));
      }
    }
  }

  /** Whether pages of the group stay. */
  boolean contains(long group, long nowNanos) {
    Long end = until.get(group);
    return end != null && nowNanos - end < 0;
  }
}
